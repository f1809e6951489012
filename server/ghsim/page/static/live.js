// Looks every two seconds whether the page would look different now, and renews the parts marked data-live that would.
// Whatever a person types stands outside of them, or keeps its part from being renewed.
(() => {
  const every = 2000;
  const shown = new Map();
  const parts = (page) => [...page.querySelectorAll("[data-live]")];
  for (const part of parts(document)) shown.set(part.dataset.live, part.innerHTML);
  if (shown.size === 0) return;

  const focusable = "a, button, input, select, summary, [tabindex]";
  const changedByHand = (part) =>
    [...part.querySelectorAll("select, textarea, input")].some((field) =>
      field.tagName === "SELECT" ? [...field.options].some((o) => o.selected !== o.defaultSelected && field.selectedIndex > 0)
        : field.type !== "hidden" && (field.value !== field.defaultValue || field.checked !== field.defaultChecked));
  const selected = (part) => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && part.contains(selection.anchorNode);
  };

  // Folds stay as the reader left them; the focus stays on the same element, counted from the top of the part.
  const replace = (part, html) => {
    const folds = new Map([...part.querySelectorAll("details")].map((d) => [d.firstElementChild?.textContent, d.open]));
    const focus = [...part.querySelectorAll(focusable)].indexOf(document.activeElement);
    part.innerHTML = html;
    for (const fold of part.querySelectorAll("details")) {
      const open = folds.get(fold.firstElementChild?.textContent);
      if (open !== undefined) fold.open = open;
    }
    if (focus >= 0) part.querySelectorAll(focusable)[focus]?.focus({ preventScroll: true });
  };

  const renew = async () => {
    const answer = await fetch(location.href, { headers: { "X-Renew": "1" }, signal: AbortSignal.timeout(20000) });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    let renewed = false;
    for (const part of parts(document)) {
      const name = part.dataset.live;
      const next = parts(page).find((p) => p.dataset.live === name);
      if (!next || next.innerHTML === shown.get(name) || changedByHand(part) || selected(part)) continue;
      shown.set(name, next.innerHTML);
      replace(part, next.innerHTML);
      renewed = true;
    }
    const said = document.getElementById("live");
    if (said && renewed) said.textContent = "Updated " + new Date().toLocaleTimeString();
  };

  const loop = async () => {
    if (!document.hidden) await renew().catch(() => {}); // the server may be gone; the page stays as it is
    setTimeout(loop, every);
  };
  setTimeout(loop, every);
})();
