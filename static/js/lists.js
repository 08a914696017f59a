// Brings the rows of a card when it is opened, and the next ones when they are asked for, without leaving the page.
(() => {
  "use strict";
  const attsync = (window.attsync ||= {});

  // The address of this page with this card's lists as long as the link wants them.
  const wanting = (href, card) => {
    const said = attsync.here();
    const wanted = new URL(href, location.href).searchParams;
    for (const list of ["rows", "hand", "came"]) {
      const ours = wanted.getAll(list).filter((value) => value.startsWith(`${card}.`));
      if (!ours.length) continue;
      const others = said.getAll(list).filter((value) => !value.startsWith(`${card}.`));
      said.delete(list);
      [...others, ...ours].forEach((value) => said.append(list, value));
    }
    if (!said.getAll("open").includes(card)) said.append("open", card);
    return said;
  };

  const bring = async (href, card, list) => {
    const said = wanting(href, card);
    const before = document.querySelectorAll(`#${card} li[id]`).length;
    try {
      const answer = await attsync.ask(`${location.pathname}?${said}`);
      if (!answer?.doc.getElementById(card)) return;
      if (list) answer.doc.getElementById(list)?.setAttribute("open", "");
      attsync.swap(answer.doc, card);
      if (list) document.getElementById(list)?.setAttribute("open", "");
      attsync.remember(said);
      return document.querySelectorAll(`#${card} li[id]`)[before];
    } catch {
      // Nothing arrived: the link inside still leads there.
    }
  };

  document.addEventListener(
    "toggle",
    (event) => {
      const details = event.target;
      const card = details.closest("#cards > .card");
      if (!card) return;
      attsync.remember(attsync.here());
      const href = details.dataset.src;
      if (!details.open || !href) return;
      delete details.dataset.src;
      bring(href, card.id, details === card ? "" : details.id);
    },
    true,
  );

  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-part]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const first = await bring(link.href, link.dataset.part);
    first?.querySelector("a")?.focus({ preventScroll: true });
  });
})();
