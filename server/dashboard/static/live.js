// Keeps a page up to date while it is open. Without this script a reload does the same.
"use strict";

(() => {
  const main = document.querySelector("main[data-live]");
  const said = document.getElementById("live");

  // Times that are left tick down.
  const span = (ms) => {
    const minutes = Math.ceil(ms / 60000), hours = Math.floor(minutes / 60), days = Math.floor(hours / 24);
    if (days > 0) return days + " d " + (hours % 24) + " h left";
    if (hours > 0) return hours + " h " + (minutes % 60) + " min left";
    return minutes + " min left";
  };
  const tick = () => {
    for (const left of document.querySelectorAll("[data-until]")) {
      const ms = Date.parse(left.dataset.until) - Date.now();
      left.textContent = ms > 0 ? "(" + span(ms) + ")" : "(now)";
    }
  };
  tick();
  setInterval(tick, 15000);

  if (!main || !window.EventSource) return;

  const say = (text) => {
    said.hidden = false;
    said.textContent = text;
  };

  // Sections that have changed are replaced; what is open or focused stays so.
  const take = (fresh) => {
    const open = [...main.querySelectorAll("details[open][id]")].map((d) => d.id);
    const focused = main.contains(document.activeElement) ? document.activeElement.id : "";
    const href = !focused && main.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const parts = (root) => [...root.querySelectorAll("[data-part]")];
    const same = parts(main).map((p) => p.id).join() === parts(fresh).map((p) => p.id).join();
    if (same) {
      for (const part of parts(main)) {
        const now = fresh.querySelector("#" + CSS.escape(part.id));
        if (now && now.outerHTML !== part.outerHTML) part.replaceWith(document.importNode(now, true));
      }
    } else {
      main.replaceChildren(...[...fresh.childNodes].map((n) => document.importNode(n, true)));
    }
    for (const id of open) {
      const details = document.getElementById(id);
      if (details) details.open = true;
    }
    const again = focused ? document.getElementById(focused) : href && main.querySelector('a[href="' + CSS.escape(href) + '"]');
    if (again && document.activeElement !== again) again.focus({ preventScroll: true });
    tick();
  };

  let revision = main.dataset.revision, busy = false, stale = false;
  const renew = async () => {
    if (busy) {
      stale = true;
      return;
    }
    busy = true;
    try {
      do {
        stale = false;
        const answer = await fetch(location.href, { headers: { "X-Live": "1" }, cache: "no-store", redirect: "error" });
        if (answer.status === 401 || answer.status === 404) {
          source.close();
          location.reload();
          return;
        }
        if (!answer.ok) break;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.querySelector("main");
        if (fresh) {
          take(fresh);
          document.title = page.title;
          say("Up to date at " + new Date().toISOString().slice(11, 19) + " UTC");
        }
      } while (stale);
    } catch {
      say("Not up to date: the server does not answer. Trying again.");
    } finally {
      busy = false;
    }
  };

  // Browsers open few connections to one server: pages that nobody looks at hold none.
  let source = null;
  const listen = () => {
    source = new EventSource(main.dataset.live);
    source.addEventListener("at", (e) => {
      if (revision !== e.data) renew(); // something was missed meanwhile
      else say("Live: this page shows changes as they come");
      revision = e.data;
    });
    source.addEventListener("changed", (e) => {
      revision = e.data;
      renew();
    });
    source.addEventListener("error", (e) => {
      if (e.target.readyState === EventSource.CLOSED) say("Not live: reload the page to see changes.");
    });
  };
  listen();
  document.addEventListener("visibilitychange", () => {
    source.close();
    if (!document.hidden) listen();
  });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (e) => {
    if (e.persisted) listen(); // it comes back from the browser's memory
  });
})();
