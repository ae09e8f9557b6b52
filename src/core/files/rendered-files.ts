// Which files `check: render` can show: those that a browser draws as a page which holds their text.
// Markdown is turned into one.

const RENDERED = /\.(?:html?|xhtml|svg|md|markdown|txt|log|json|xml|csv)$/i;

/** Undefined for a file that can be shown, else why not. */
export function renderProblem(path: string): string | undefined {
  if (RENDERED.test(path)) return undefined;
  const shown = "render shows .html, .svg, .md, .txt, .json, .xml and .csv";
  const instead = /\.pdf$/i.test(path)
    ? `; for a PDF: check: \`pdftotext ${path} - | grep -q "Total"\``
    : "";
  return `${path} cannot be rendered as text; ${shown}${instead}`;
}
