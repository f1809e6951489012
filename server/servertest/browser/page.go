package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
)

// Page is one tab.
type Page struct {
	b       *Browser
	session string
}

// Page opens an empty tab.
func (b *Browser) Page() *Page {
	b.tb.Helper()
	var made struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached)
	p := &Page{b, attached.SessionID}
	p.call("Page.enable", nil, nil)
	p.call("Runtime.enable", nil, nil)
	return p
}

func (p *Page) call(method string, params map[string]any, out any) {
	p.b.tb.Helper()
	p.b.call(p.session, method, params, out)
}

// Size sets how wide the page is, in pixels, and whether people like it dark.
func (p *Page) Size(width, height int, dark bool) {
	p.b.tb.Helper()
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Go opens an address and waits until it is loaded.
func (p *Page) Go(address string) {
	p.b.tb.Helper()
	p.after(func() { p.call("Page.navigate", map[string]any{"url": address}, nil) })
}

// Press clicks what a selector finds, and waits until the page that it leads to is loaded.
func (p *Page) Press(selector string) {
	p.b.tb.Helper()
	p.after(func() {
		var found bool
		p.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%s); if (e) e.click(); return !!e; })()`, quoted(selector)), &found)
		if !found {
			p.b.tb.Fatalf("%s has no %s\n%s", p.Address(), selector, p.Text())
		}
	})
}

// after waits for the load of a page that act leads to.
func (p *Page) after(act func()) {
	p.b.tb.Helper()
	loaded := p.b.expect(p.session, "Page.loadEventFired")
	act()
	select {
	case <-loaded:
	case <-time.After(answerWithin):
		p.b.tb.Fatal("the page does not load")
	}
}

// Eval runs an expression, waits for it where it is a promise, and reads its value.
func (p *Page) Eval(expression string, out any) {
	p.b.tb.Helper()
	var got struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if e := got.ExceptionDetails; e != nil {
		p.b.tb.Fatalf("script: %s %s", e.Text, e.Exception.Description)
	}
	if out != nil && len(got.Result.Value) > 0 {
		p.b.must(json.Unmarshal(got.Result.Value, out))
	}
}

// Until waits until an expression is true; the page itself says when it changes.
func (p *Page) Until(what, expression string) {
	p.b.tb.Helper()
	var held bool
	p.Eval(fmt.Sprintf(`new Promise((done) => {
		const look = () => { if (%s) { watch.disconnect(); clearTimeout(late); done(true); } };
		const watch = new MutationObserver(look);
		watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		const late = setTimeout(() => { watch.disconnect(); done(false); }, %d);
		look();
	})`, expression, (answerWithin-10*time.Second).Milliseconds()), &held)
	if !held {
		p.b.tb.Fatalf("waited in vain until %s at %s\n%s", what, p.Address(), p.Text())
	}
}

// Text is what the page says.
func (p *Page) Text() (text string) {
	p.b.tb.Helper()
	p.Eval("document.body.innerText", &text)
	return text
}

// Address is where the page is.
func (p *Page) Address() (address string) {
	p.b.tb.Helper()
	p.Eval("location.href", &address)
	return address
}

// Picture is the whole page as PNG.
func (p *Page) Picture() []byte {
	p.b.tb.Helper()
	var got struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &got)
	raw, err := base64.StdEncoding.DecodeString(got.Data)
	p.b.must(err)
	return raw
}

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return `""` // a string: cannot happen
	}
	return string(raw)
}

// OnEachPage runs script before anything else on every page that is opened from now on.
func (p *Page) OnEachPage(script string) {
	p.b.tb.Helper()
	p.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script}, nil)
}

// Key presses a key, by its name in the DOM: "Tab", "Enter".
func (p *Page) Key(name string) {
	p.b.tb.Helper()
	code := map[string]int{"Tab": 9, "Enter": 13}[name]
	text := ""
	if name == "Enter" {
		text = "\r"
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text}, nil)
	}
}
