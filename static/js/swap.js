// Takes over what changed from a freshly fetched page. Open cards, scroll, focus and typed text stay as they are.
(() => {
  "use strict";
  const attsync = (window.attsync ||= {});
  const PARTS = ["fresh", "notes", "sum", "aside", "dot"];
  const sent = new Map();

  // What the server sent, without what a finger may have changed since.
  const text = (part) => part.outerHTML.replaceAll(' open=""', "");
  const parts = (doc) => [...PARTS.map((id) => doc.getElementById(id)), ...doc.querySelectorAll("#cards > .card")].filter(Boolean);
  const cardIds = (doc) => [...doc.querySelectorAll("#cards > *:not(input)")].map((child) => child.id).join();

  const list = (item) => item.closest("ul")?.dataset.list;

  // Visible rows and cards, the one just touched and those after it in front: one of them must not move.
  const anchors = () => {
    const seen = [...document.querySelectorAll("#cards li[id], #cards > .card")].filter((item) => {
      const box = item.getBoundingClientRect();
      return box.height && box.bottom > 60 && box.top < innerHeight;
    });
    const touched = document.getElementById(attsync.touched);
    const first = seen.includes(touched) ? seen.slice(seen.indexOf(touched)) : [];
    return [...first, ...seen].map((item) => [item.id, list(item), item.getBoundingClientRect().top]);
  };

  // A row that moved to another list is not followed: the finger is still where it was.
  const settle = (places) => {
    for (const [id, home, top] of places) {
      const item = document.getElementById(id);
      const box = item?.getBoundingClientRect();
      if (box?.height && list(item) === home) return scrollBy({ top: box.top - top, behavior: "instant" });
    }
  };

  const focused = () => {
    const item = document.activeElement;
    const home = item?.closest("[id]");
    if (!home || item === document.body) return () => {};
    const same = item.name ? `[name="${CSS.escape(item.name)}"]` : item.localName;
    return () => {
      if (document.activeElement !== document.body || document.contains(item)) return;
      const now = document.getElementById(home.id);
      (now?.querySelector(same) || now?.querySelector("button") || now?.querySelector("a, summary") || now)?.focus({ preventScroll: true });
    };
  };

  const replace = (old, fresh) => {
    for (const details of [old, ...old.querySelectorAll("details[id]")]) {
      const twin = details === old ? fresh : fresh.querySelector(`#${CSS.escape(details.id)}`);
      if (twin?.localName === "details") twin.open = details.open;
    }
    old.replaceWith(document.adoptNode(fresh));
  };

  attsync.keep = (doc) => parts(doc).forEach((part) => sent.set(part.id, text(part)));

  // Returns whether anything but the clocks changed.
  attsync.swap = (doc, only) => {
    const places = anchors();
    const refocus = focused();
    let changed = false;
    if (!only && cardIds(doc) !== cardIds(document)) {
      document.getElementById("main").replaceWith(document.adoptNode(doc.getElementById("main")));
      attsync.keep(document);
      return true;
    }
    for (const fresh of parts(doc)) {
      const old = document.getElementById(fresh.id);
      if (only && only !== fresh.id) continue;
      const now = text(fresh);
      if (!old || sent.get(fresh.id) === now) continue;
      sent.set(fresh.id, now);
      changed ||= fresh.id !== "fresh";
      replace(old, fresh);
    }
    const token = doc.querySelector("[name=csrfmiddlewaretoken]")?.value;
    if (token) document.querySelectorAll("[name=csrfmiddlewaretoken]").forEach((field) => (field.value = token));
    settle(places);
    refocus();
    return changed;
  };

  attsync.keep(document);
})();
