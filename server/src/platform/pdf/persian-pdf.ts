import { join } from 'node:path';
import bidiFactory, { type Bidi } from 'bidi-js';
import PDFDocument from 'pdfkit';

/**
 * PDF pages with Persian text: bidi-js orders the runs of a line (UAX #9), fontkit shapes each run in its own direction
 * with the bundled Vazirmatn. pdfkit alone would lay out a whole line in one direction and reverse the numbers in it.
 */
export interface Sheet {
  readonly width: number;
  readonly height: number;
  /** One line of text; `align` decides whether `x` is its right edge, left edge or middle. Points from the top left. */
  line(text: string, at: { x: number; y: number }, style?: LineStyle): void;
  /** A paragraph of right-to-left text, broken at spaces; returns its height. */
  paragraph(text: string, at: { x: number; y: number; width: number }, style?: LineStyle): number;
  rule(from: { x: number; y: number }, toX: number, color: string): void;
  box(box: { x: number; y: number; width: number; height: number; radius: number }, color: string): void;
}

export interface LineStyle {
  readonly size?: number;
  readonly bold?: boolean;
  readonly color?: string;
  readonly align?: 'right' | 'left' | 'center';
  /** Direction of the line as a whole; numbers and Latin words within it keep their own. */
  readonly direction?: 'rtl' | 'ltr';
}

const assets = join(import.meta.dirname, '../../../assets');
// The types describe an ES module, but in Node the default export is the factory itself.
const bidi = (bidiFactory as unknown as () => Bidi)();
const LINE_HEIGHT = 1.7;

/** Draws one page and returns the file's bytes. `createdAt` goes into the file's metadata. */
export async function drawPdf(
  page: { title: string; width: number; height: number; createdAt: Date },
  draw: (sheet: Sheet) => void,
): Promise<Buffer> {
  const document = new PDFDocument({
    size: [page.width, page.height],
    margin: 0,
    lang: 'fa',
    displayTitle: true,
    info: { Title: page.title, CreationDate: page.createdAt, ModDate: page.createdAt },
  });
  document.registerFont('regular', join(assets, 'vazirmatn-regular.ttf'));
  document.registerFont('bold', join(assets, 'vazirmatn-bold.ttf'));
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  draw(sheetOf(document, page));
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

function sheetOf(document: PDFKit.PDFDocument, { width, height }: { width: number; height: number }): Sheet {
  const line: Sheet['line'] = (text, at, style = {}) => {
    const { size = 11, bold = false, color = '#1d2436', align = 'right', direction = 'rtl' } = style;
    document
      .font(bold ? 'bold' : 'regular')
      .fontSize(size)
      .fillColor(color);
    const runs = runsOf(text, direction).map((run) => ({ ...run, width: widthOf(document, run) }));
    const total = runs.reduce((sum, run) => sum + run.width, 0);
    let x = align === 'right' ? at.x - total : align === 'center' ? at.x - total / 2 : at.x;
    for (const run of runs) {
      shaping(document, run, () => document.text(run.text, x, at.y, { lineBreak: false, features: [] }));
      x += run.width;
    }
  };
  return {
    width,
    height,
    line,
    paragraph(text, at, style = {}) {
      const size = style.size ?? 11;
      document.font(style.bold ? 'bold' : 'regular').fontSize(size);
      const fits = (words: string) =>
        runsOf(words, 'rtl').reduce((sum, run) => sum + widthOf(document, run), 0) <= at.width;
      const lines: string[] = [];
      for (const word of text.split(' ')) {
        const last = lines.at(-1);
        if (last !== undefined && fits(`${last} ${word}`)) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
      }
      for (const [index, words] of lines.entries())
        line(words, { x: at.x, y: at.y + index * size * LINE_HEIGHT }, style);
      return lines.length * size * LINE_HEIGHT;
    },
    rule: (from, toX, color) =>
      void document.moveTo(from.x, from.y).lineTo(toX, from.y).lineWidth(0.75).strokeColor(color).stroke(),
    box: ({ x, y, width: w, height: h, radius }, color) => void document.roundedRect(x, y, w, h, radius).fill(color),
  };
}

interface Run {
  readonly text: string;
  readonly direction: 'rtl' | 'ltr';
}

/** Splits a line into runs of one direction, in visual order from left to right (UAX #9, rule L2). */
export function runsOf(text: string, base: 'rtl' | 'ltr'): Run[] {
  const { levels } = bidi.getEmbeddingLevels(text, base);
  const runs: { text: string; level: number }[] = [];
  for (let index = 0; index < text.length; index += 1) {
    // Isolates (U+2066 to U+2069) order the text and have no picture.
    if (/[\u2066-\u2069]/.test(text[index] ?? '')) continue;
    const level = levels[index] ?? 0;
    const last = runs.at(-1);
    // In a right-to-left run, brackets and the like are replaced by their mirror image.
    const character = (level % 2 === 1 && bidi.getMirroredCharacter(text[index] ?? '')) || (text[index] ?? '');
    if (last && last.level === level) last.text += character;
    else runs.push({ text: character, level });
  }
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    for (let from = 0; from < runs.length; from += 1) {
      let to = from;
      while (to < runs.length && (runs[to]?.level ?? 0) >= level) to += 1;
      if (to > from + 1) runs.splice(from, to - from, ...runs.slice(from, to).reverse());
      from = Math.max(from, to - 1);
    }
  }
  return runs.map((run) => ({ text: run.text, direction: run.level % 2 === 1 ? 'rtl' : 'ltr' }));
}

interface ShapingFont {
  layout(text: string, features?: unknown, script?: string, language?: string, direction?: string): unknown;
}

/** Passes the run's direction to fontkit, which otherwise guesses it and lays out Persian digits from right to left. */
function shaping<T>(document: PDFKit.PDFDocument, { direction }: Run, work: () => T): T {
  const { font } = (document as unknown as { _font: { font: ShapingFont } })._font;
  const own = Object.getOwnPropertyDescriptor(font, 'layout');
  const layout = font.layout.bind(font);
  font.layout = (text, features) => layout(text, features, direction === 'rtl' ? 'arab' : 'latn', undefined, direction);
  try {
    return work();
  } finally {
    if (own) Object.defineProperty(font, 'layout', own);
    else Reflect.deleteProperty(font, 'layout');
  }
}

function widthOf(document: PDFKit.PDFDocument, run: Run): number {
  return shaping(document, run, () => document.widthOfString(run.text, { features: [] }));
}
