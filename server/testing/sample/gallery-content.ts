import { crc32, deflateSync } from 'node:zlib'
import type { FetchMedia, FetchPage } from '#lib/guarded-fetch.ts'

/**
 * A kind of content with messages that show it. In the messages, a key of `galleryFiles` in braces stands for the
 * address of a file. `{me}` and `{other}` stand for names of users.
 */
type GalleryTopic = {
  readonly topic: string
  readonly messages: readonly string[]
  /** False if the topic is left out of screenshots, because its fonts differ between machines. */
  readonly isPictured?: false
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `step_${at + 1} = load(${at})`).join('\n')

const pictureOf = (...names: string[]) => names.map((name) => `[${name}.png]({${name}})`).join('\n')

export const galleryTopics: readonly GalleryTopic[] = [
  {
    topic: 'text',
    messages: [
      'Plain text with **bold**, *italic*, ***both***, ~~struck~~ and `code`, and a [link](https://example.com/a).\nA second line.\n\nA second paragraph with https://example.com/a/rather/long/address/that/has/to/break?when=there&is=no&room=for-it',
      '# Heading one\n## Heading two\n### Heading three\nText below.\n\n---\n\n1. first\n2. second\n   * inner\n     * innermost\n3. third\n\n* loose\n\n* list',
      '/me waves from the other side',
    ],
  },
  {
    topic: 'code',
    messages: [
      'Easy:\n\n```python\ndef tile(lat, lon, zoom):\n    n = 2 ** zoom\n    x = int((lon + 180) / 360 * n)\n    return x, "north", None  # west to east\n```',
      '```ts\n/** A comment\n over lines */\nexport const answer = (question: string): number => {\n  if (question === "") throw new TypeError("Nothing asked")\n  return 0x2a + 1.5\n}\n```\n\n```diff\n- old line\n+ new line\n  same\n```',
      '```html\n<p class="a">Text &amp; <b>bold</b></p>\n```\n\n```css\n.a { color: #fff; margin: 0 auto }\n```\n\n```sql\nSELECT id, name FROM places WHERE name LIKE \'%lake%\' LIMIT 20;\n```',
      '```\nno language\n```\n\n```json\n{"name": "a line that is so long that it has to scroll sideways in its box", "values": [1, 2.5, true, null], "more": "and more and more"}\n```',
      `\`\`\`python\n${numbered(12)}\n\`\`\``,
      `\`\`\`python\n${numbered(60)}\n\`\`\``,
    ],
  },
  {
    topic: 'spoilers and quotes',
    messages: [
      '```spoiler What we ordered last time\nTwo **soups** and `bread`.\n\n* a list\n```',
      '```spoiler\nNo header here.\n```',
      '> A quote\n> of two lines\n\nAnd the answer.',
      '@_**{other}** [said](/#narrow/channel/1-a/topic/b/near/1):\n```quote\nFerries are drawn as roads at zoom 9.\n```\nOnly where the importer has no class for them.',
      `${'>'.repeat(12)} deep`,
    ],
  },
  {
    topic: 'times, emoji and names',
    messages: [
      'We meet <time:2026-11-25T14:00:00Z>, and again <time:2027-03-01T09:30:00Z>. <time:whenever>',
      'Well done :tada: :thumbs_up: and 🎉 in a sentence.',
      ':tada:',
      ':wave: :heart: :rocket:',
      ':wave: :heart: :rocket: :tada:',
      '@**{me}** is that in 4.2? @**{other}** @_**{other}** @*gallery-crew* @_*gallery-crew* @**all** @**topic** @**Nobody**',
      'See #**gallery**, #**gallery>code** and #**gallery>text@1**. The email is mail@example.com.',
    ],
  },
  {
    topic: 'formulas',
    messages: [
      'Inline $$E = mc^2$$ and $$\\frac{a}{b}$$ in text.\n\n```math\n\\int_{-\\infty}^{\\infty} e^{-x^2} \\, dx = \\sqrt{\\pi}\n```\n\nAnd $$\\broken{$$ as well.',
      '```math\n\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\quad \\sum_{i=1}^{n} i^3 = \\left(\\frac{n(n+1)}{2}\\right)^2\n```',
    ],
  },
  {
    topic: 'tables',
    messages: [
      '| Name | Zoom | Size |\n|:--|:-:|--:|\n| Oslo | 9 | 1,204 |\n| Bergen | 12 | 88 |',
      `|${' Column with a name |'.repeat(12)}\n|${'---|'.repeat(12)}\n|${' unbreakable-value |'.repeat(12)}\n|${' a longer text that may wrap |'.repeat(12)}`,
    ],
  },
  {
    topic: 'pictures and files',
    messages: [
      `I drew both versions.\n${pictureOf('wide', 'second')}`,
      pictureOf('tall'),
      pictureOf('panorama'),
      pictureOf('small'),
      `All of them:\n${pictureOf('wide', 'second', 'tall', 'panorama', 'small')}`,
      'Patch attached.\n[ferries.patch]({patch})\n[Quarterly report with a rather long name (final, corrected).pdf]({report})',
      'Listen:\n[voice memo.wav]({tone})',
      'In a sentence, [ferries.patch]({patch}) stays a link.',
      'From elsewhere: https://pictures.example.com/cat.png',
    ],
  },
  {
    topic: 'websites',
    messages: [
      'I read https://example.com/tea and the https://example.com/title-only yesterday.',
      'https://a-rather-long-name-of-a-website.example.com/long',
      'https://www.youtube.com/watch?v=tea_history',
    ],
  },
  {
    topic: 'hostile',
    isPictured: false,
    messages: [
      'a'.repeat(3000),
      'Override \u202Eright to left\u202C and back, \u2067isolated',
      `Z${'\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308'.repeat(8)}algo piles up`,
      'مرحبا بالعالم، هذا نص من اليمين إلى اليسار\n\nשלום עולם',
      '<script>alert(1)</script><b>not bold</b> <img src=x onerror=alert(1)>',
      'https://example.com/rtl https://example.com/wide',
      Array.from({ length: 90 }, (_, at) => `${at + 1}. a line of a long message`).join('\n'),
    ],
  },
  {
    topic: 'polls and lists',
    messages: [
      '/poll Where do we eat?\nLebanese\nRamen\nBring your own',
      '/todo Before the release\nfreeze strings: ask the translators first\nrun the long tests\nwrite notes',
      '/poll',
    ],
  },
]

type Color = readonly [red: number, green: number, blue: number]

/** Returns a PNG with two circles on a background, so that scaling and cropping can be seen. */
export function drawPicture(
  width: number,
  height: number,
  [ground, left, right]: readonly [Color, Color, Color],
): Buffer {
  const radius = Math.min(width, height) / 4
  const isIn = (x: number, y: number, part: number) => (x - width * part) ** 2 + (y - height * part) ** 2 < radius ** 2
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const color = isIn(x, y, 0.35) ? left : isIn(x, y, 0.65) ? right : ground
      rows.set(color, y * (1 + width * 3) + 1 + x * 3)
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each of three colors.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')])
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** Returns a second of a quiet tone as a WAV file. */
function drawTone(): Buffer {
  const rate = 8000
  const samples = Buffer.from(Array.from({ length: rate }, (_, at) => 128 + Math.round(20 * Math.sin(at / 3))))
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

const SEA: Color = [176, 214, 220]
const FIELD: Color = [188, 214, 192]
const BLUE: Color = [84, 172, 190]
const GREEN: Color = [148, 192, 156]
const VIOLET: Color = [146, 152, 212]

/**
 * The files of the gallery by key. Its messages contain a key in braces, such as `{wide}`, in place of the address of a
 * file.
 */
export const galleryFiles: Readonly<Record<string, { name: string; make: () => Buffer }>> = {
  wide: { name: 'frame left.png', make: () => drawPicture(720, 480, [FIELD, GREEN, BLUE]) },
  second: { name: 'frame right.png', make: () => drawPicture(720, 480, [SEA, BLUE, VIOLET]) },
  tall: { name: 'tall.png', make: () => drawPicture(240, 720, [SEA, GREEN, VIOLET]) },
  panorama: { name: 'panorama.png', make: () => drawPicture(1600, 200, [FIELD, BLUE, VIOLET]) },
  small: { name: 'small.png', make: () => drawPicture(48, 48, [SEA, GREEN, BLUE]) },
  patch: { name: 'ferries.patch', make: () => Buffer.from('--- a\n+++ b\n') },
  report: {
    name: 'Quarterly report with a rather long name (final, corrected).pdf',
    make: () => Buffer.from('%PDF-1.4\n'),
  },
  tone: { name: 'voice memo.wav', make: drawTone },
  clip: { name: 'clip.mp4', make: () => Buffer.from('not really a video') },
}

const PAGES: Readonly<Record<string, string>> = {
  'https://example.com/tea':
    '<title>A short history of tea in Europe</title><meta property="og:image" content="https://pictures.example.com/cup.png">' +
    '<meta name="description" content="How leaves from Fujian came to every kitchen, and why they stayed.">',
  'https://example.com/title-only': '<title>Release notes</title>',
  'https://a-rather-long-name-of-a-website.example.com/long': `<title>${'A title that does not want to end and goes on '.repeat(6)}</title><meta name="description" content="${'A description of many words. '.repeat(40)}">`,
  'https://example.com/rtl':
    '<title>تاريخ الشاي</title><meta name="description" content="كيف وصلت الأوراق إلى كل مطبخ">',
  'https://example.com/wide': `<title>${'W'.repeat(190)}</title>`,
}

/** Returns pages of the gallery's websites without requesting them, and null for all other URLs. */
export const fetchGalleryPage: FetchPage = async (url) => {
  const html = PAGES[url]
  return html === undefined ? null : { url, html }
}

/** Returns pictures of the gallery's websites without requesting them, and null for all other URLs. */
export const fetchGalleryMedia: FetchMedia = async (url) => {
  const { host } = new URL(url)
  if (host === 'pictures.example.com') return drawPicture(360, 240, [FIELD, GREEN, BLUE])
  return host === 'i.ytimg.com' ? drawPicture(320, 180, [SEA, BLUE, VIOLET]) : null
}
