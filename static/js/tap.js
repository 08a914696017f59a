// Sends a tap without leaving the page, and shows its answer where the finger is.
(() => {
  "use strict";
  const attsync = (window.attsync ||= {});
  const words = document.body.dataset;
  const REST = 600;

  // The buttons keep the focus while they wait.
  const busy = (row, on) => {
    if (on) row?.setAttribute("aria-busy", "true");
    else row?.removeAttribute("aria-busy");
    row?.querySelectorAll("button").forEach((button) => button.setAttribute("aria-disabled", String(on)));
  };

  const complain = (row, sentence) => {
    row?.querySelectorAll(".error").forEach((old) => old.remove());
    const line = document.createElement("p");
    line.className = row?.localName === "li" ? "flag error" : "error";
    line.setAttribute("role", "alert");
    line.textContent = sentence;
    (row || document.getElementById("said")).append(line);
  };

  const said = (form, button) => {
    const fields = new URLSearchParams(new FormData(form));
    if (button?.name) fields.append(button.name, button.value);
    fields.set("place", attsync.here().toString());
    return fields;
  };

  const send = async (form, button) => {
    const post = () => attsync.ask(form.action, { method: "POST", body: said(form, button) });
    let answer = await post();
    if (answer?.status === 403) {
      // The token is from before somebody signed in anew: fetch the page for a good one and try once more.
      const page = await attsync.ask(`${location.pathname}?${attsync.here()}`);
      if (!page) return null;
      attsync.swap(page.doc);
      answer = await post();
    }
    return answer;
  };

  // The second half of a double tap must meet nothing: neither the row just changed nor whatever is there now instead.
  let finger = { clientX: -1, clientY: -1 };
  const rest = (row) => {
    const under = document.elementFromPoint(finger.clientX, finger.clientY);
    for (const item of [row?.id && document.getElementById(row.id), under?.closest("li, .toast, summary, .all, button, a")]) {
      item?.setAttribute?.("data-rest", "");
      setTimeout(() => item?.removeAttribute?.("data-rest"), REST);
    }
  };
  addEventListener("pointerdown", (event) => (finger = event), true);
  // A key that is held down presses once.
  const isHeld = (event) => event.repeat && [" ", "Enter"].includes(event.key) && event.target.closest?.("button");
  addEventListener("keydown", (event) => isHeld(event) && event.preventDefault(), true);

  const show = (answer, row) => {
    if (!answer.doc.getElementById("sum")) {
      complain(row, answer.doc.querySelector("#void ~ p")?.textContent || words.failed);
      return;
    }
    attsync.swap(answer.doc);
    attsync.say?.(answer.doc, true);
    attsync.tapped?.();
    rest(row);
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const button = event.submitter;
    if (!form.action.endsWith("/mark") || !document.getElementById("sum")) return;
    event.preventDefault();
    const row = button?.closest("li") || form.closest(".toast");
    if (row?.hasAttribute("aria-busy")) return;
    attsync.touched = row?.id;
    busy(row, true);
    try {
      const answer = await send(form, button);
      busy(row, false);
      if (answer) show(answer, row);
    } catch {
      busy(row, false);
      complain(row, navigator.onLine ? words.failed : words.offline);
    }
  });
})();
