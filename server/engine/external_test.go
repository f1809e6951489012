package engine

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// oldServer speaks as much of NATS as a client needs to connect.
func oldServer(t *testing.T, version string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(conn, "INFO {\"server_id\":\"x\",\"version\":%q,\"headers\":true,\"max_payload\":1048576}\r\n", version)
		for in := bufio.NewScanner(conn); in.Scan(); {
			if strings.HasPrefix(in.Text(), "PING") {
				_, _ = fmt.Fprint(conn, "PONG\r\n")
			}
		}
	}()
	return l.Addr().String()
}

func TestOldServerIsRefusedInWords(t *testing.T) {
	addr := oldServer(t, "2.11.9")
	_, err := Open(t.Context(), Options{URL: "nats://monalisa:secret@" + addr, Timeout: 5 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "has version 2.11.9, and Stagecoach needs 2.12 or newer") {
		t.Fatal(err)
	}
	if strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), addr) {
		t.Errorf("the message must name the server and not the password: %v", err)
	}
}

func TestNewEnough(t *testing.T) {
	for version, want := range map[string]bool{
		"2.12.0": true, "2.12.0-RC.1": true, "2.15.2": true, "3.0.0": true, "v2.14.1": true,
		"2.11.9": false, "1.99.0": false, "": false, "two": false, "2": false, "2.x.1": false,
	} {
		if got := newEnough(version); got != want {
			t.Errorf("newEnough(%q) = %v", version, got)
		}
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"nats://a.example:4222":                       "nats://a.example:4222",
		"nats://monalisa:pw@a.example:4222":           "nats://a.example:4222",
		"monalisa:pw@a.example:4222":                  "a.example:4222",
		"a.example:4222":                              "a.example:4222",
		"nats://t0ken@a.example, tls://u:p@b.example": "nats://a.example,tls://b.example",
	} {
		if got := redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("a.example:4222")
	f.Add("nats://a.example")
	f.Fuzz(func(t *testing.T, host string) {
		if strings.Contains(host, "5ecret") {
			return // it would hold the secret itself
		}
		for _, url := range []string{"nats://octocat:5ecret@" + host, "octocat:5ecret@" + host} {
			if got := redact(url); strings.Contains(got, "5ecret") {
				t.Errorf("redact(%q) = %q", url, got)
			}
		}
	})
}
