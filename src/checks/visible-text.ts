// A script for a page: the text that a person who scrolls could read in it, one block to a line. It is
// what is drawn and not what the source holds, so it goes through the tree as it is laid out, shadow
// roots and slots included, and leaves out what is not displayed, invisible, fully transparent, cut
// away, without size, or beyond the edges that nobody can scroll to. Colours are compared with nothing
// and it does not matter what lies above a text: the picture shows that.

export const VISIBLE_TEXT = String.raw`(() => {
  const FIELDS = "input, textarea, select";
  const UNREADABLE = new Set(["hidden", "password", "checkbox", "radio", "range", "color", "file", "image"]);
  // Pages written from right to left are scrolled to the left.
  const isToTheLeft = getComputedStyle(document.documentElement).direction === "rtl";
  const left = isToTheLeft ? -Infinity : -scrollX;
  const EVERYWHERE = { left, top: -scrollY, right: Infinity, bottom: Infinity };
  const range = document.createRange();
  const parts = [];

  const cut = (clip, box) => ({
    left: Math.max(clip.left, box.left),
    top: Math.max(clip.top, box.top),
    right: Math.min(clip.right, box.right),
    bottom: Math.min(clip.bottom, box.bottom),
  });
  // One pixel of a text is how it is kept for screen readers alone.
  const isLarge = ({ left, top, right, bottom }) => right - left >= 2 && bottom - top >= 2;
  const isWithin = (box, clip) => isLarge(cut(clip, box));

  const written = (text, style) => {
    const shown = style.whiteSpace.startsWith("pre") ? text : text.replace(/\s+/g, " ");
    switch (style.textTransform) {
      case "uppercase": return shown.toUpperCase();
      case "lowercase": return shown.toLowerCase();
      case "capitalize": return shown.replace(/(^|\s)(\S)/g, (_, space, letter) => space + letter.toUpperCase());
      default: return shown;
    }
  };

  const showText = (node, style, around) => {
    if (style.visibility !== "visible" || around.isClear) return;
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (!isWithin(box, around.clip)) continue;
      parts.push(written(node.data, style));
      return;
    }
    // Between two words a line break is drawn as nothing.
    if (/^\s+$/.test(node.data)) parts.push(" ");
  };

  const showField = (field, style, around) => {
    if (style.visibility !== "visible" || UNREADABLE.has(field.type)) return;
    const text = field.selectedOptions?.[0]?.text ?? (field.value || field.placeholder);
    if (text && isWithin(field.getBoundingClientRect(), around.clip)) parts.push("\n", text, "\n");
  };

  /** What an element does to what it holds: clip for its own flow, outer for what leaves the flow. */
  const within = (element, style, around) => {
    const isFixed = style.position === "fixed";
    const isPlaced = style.position !== "static" || style.transform !== "none";
    let clip = isFixed ? EVERYWHERE : style.position === "absolute" ? around.outer : around.clip;
    const isPage = element === document.body || element === document.documentElement;
    if (!isPage && style.display !== "inline" && style.display !== "contents") {
      const box = element.getBoundingClientRect();
      const cuts = [style.overflowX, style.overflowY].some((way) => way === "hidden" || way === "clip");
      const scrolls = [style.overflowX, style.overflowY].some((way) => way === "auto" || way === "scroll");
      if (cuts && !scrolls) clip = cut(clip, box);
      // What can be scrolled can be read, in a window that is there.
      else if (scrolls && !isWithin(box, clip)) clip = cut(clip, box);
      else if (scrolls) clip = { ...EVERYWHERE, left: clip.left, top: -Infinity };
    }
    const fill = style.webkitTextFillColor;
    const isPainted = around.isPainted || style.webkitBackgroundClip.includes("text");
    const isClear = /^rgba\(.*, 0\)$|^transparent$/.test(fill) && !isPainted && style.textShadow === "none";
    return { clip, outer: isPlaced ? clip : around.outer, isPainted, isClear };
  };

  const childrenOf = (element) => {
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    if (element.localName === "details" && !element.open) return element.querySelectorAll(":scope > summary:first-of-type");
    const given = element.localName === "slot" ? element.assignedNodes?.({ flatten: true }) : undefined;
    return given?.length ? given : element.childNodes;
  };

  const show = (element, around) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || Number(style.opacity) === 0) return;
    if (style.contentVisibility === "hidden") return;
    if (element.localName === "br") return void parts.push("\n");
    if (element.matches(FIELDS)) return showField(element, style, around);
    const isBlock = !/^(?:inline|contents|ruby)/.test(style.display);
    if (isBlock) parts.push("\n");
    const inside = within(element, style, around);
    for (const child of childrenOf(element)) {
      if (child.nodeType === 3) showText(child, style, inside);
      else if (child.nodeType === 1) show(child, inside);
    }
    if (isBlock) parts.push("\n");
  };

  const top = document.documentElement;
  if (top !== null) show(top, { clip: EVERYWHERE, outer: EVERYWHERE, isPainted: false, isClear: false });
  return parts.join("").replace(/[^\S\n]*\n\s*/g, "\n").trim();
})()`;

/** As much of an element as is asked about here; the page's own types are not known outside of it. */
interface FrameElement {
  readonly ownerDocument: {
    readonly defaultView: { readonly scrollX: number; readonly scrollY: number };
  };
  getBoundingClientRect(): { left: number; top: number; right: number; bottom: number };
  checkVisibility(options: object): boolean;
}

/** Whether a frame is drawn in the page that holds it. Runs in that page: it may use nothing of this file. */
export function isFrameDrawn(frame: unknown): boolean {
  const element = frame as FrameElement;
  const { scrollX, scrollY } = element.ownerDocument.defaultView;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const isLarge = right - left >= 2 && bottom - top >= 2;
  const isOnPage = right + scrollX > 0 && bottom + scrollY > 0;
  const drawn = { opacityProperty: true, visibilityProperty: true };
  return isLarge && isOnPage && element.checkVisibility(drawn);
}
