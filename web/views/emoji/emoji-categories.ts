/** The categories of the picker, in the order in which it shows them. */
export const CATEGORIES = ['Smileys', 'Animals', 'Food', 'Activities', 'Travel', 'Objects', 'Symbols', 'Flags'] as const

export type Category = (typeof CATEGORIES)[number]

/** The first code points of emoji in hex, alone or as ranges. An emoji belongs to the first category that matches. */
const CODES: readonly [Category, string][] = [
  ['Flags', '1f1e6-1f1ff 1f38c 1f3c1 1f3f3-1f3f4 1f6a9'],
  [
    'Food',
    '1f32d-1f330 1f336 1f33d 1f345-1f37f 1f382 1f942-1f944 1f950-1f96f 1f99e 1f9aa 1f9c0-1f9cb 1fad0-1fadb 2615',
  ],
  [
    'Activities',
    '1f380-1f381 1f383-1f384 1f386-1f38b 1f38d-1f391 1f396-1f397 1f39f 1f3a3 1f3a8 1f3ab 1f3ad-1f3b4 1f3bd-1f3cc ' +
      '1f3cf-1f3d3 1f3f8-1f3f9 1f52b 1f52e 1f6a3 1f6b4-1f6b5 1f6f7 1f6f9 1f6fc 1f93a 1f93c-1f93f 1f941 1f945-1f94f 1f9d7 ' +
      '1f9e7-1f9e9 1f9f8 1fa70 1fa80-1fa88 1fa95 1fa97-1fa98 1faa9 265f 26bd-26be 26f3 26f7-26f9',
  ],
  [
    'Smileys',
    '1f385 1f440-1f450 1f463-1f480 1f47e 1f481-1f483 1f485-1f487 1f48b 1f48f 1f491 1f493-1f49f 1f4a2 1f4a4-1f4ad 1f4af ' +
      '1f570-1f57a 1f590-1f596 1f5a4 1f5e3-1f5ef 1f600-1f64f 1f6b6 1f6c0 1f6cc 1f90c-1f93b 1f970-1f97a 1f9b4-1f9b9 ' +
      '1f9bb-1f9bf 1f9cc-1f9e1 1fa75-1fa77 1fac0-1fac5 1fae0-1faf8 261d 2639-263a 270a-270d 2763-2764',
  ],
  [
    'Travel',
    '1f301 1f303-1f307 1f309-1f30b 1f30d-1f310 1f3a0-1f3a2 1f3aa 1f3cd-1f3ce 1f3d4-1f3df 1f3e0-1f3f0 1f492 1f54b-1f54d ' +
      '1f550-1f567 1f5fa-1f5ff 1f680-1f6a2 1f6a4-1f6a8 1f6b2 1f6cb 1f6ce-1f6cf 1f6d1 1f6d5-1f6d6 1f6dd-1f6fb 1f9ed 1fa82 ' +
      '231a-231b 23f0-23f3 2693 26e9-26ea 26f1-26f2 26f4-26f5 26fa-26fd 2708',
  ],
  [
    'Animals',
    '1f300 1f302 1f308 1f30c 1f311-1f344 1f400-1f43f 1f490 1f4a7 1f4ae 1f525 1f54a 1f577-1f578 1f940 1f980-1f9ae ' +
      '1fa90 1faa8 1fab0-1fabf 1face-1facf 2600-2604 2614 2618 26a1 26c4-26c8 26f0 2728 2744 2b50',
  ],
  [
    'Symbols',
    '0-7f 80-ff 1f170-1f251 1f3e7 1f4a0 1f4b1-1f4b2 1f4db 1f4f3-1f4f6 1f500-1f506 1f516-1f524 1f52f-1f53d 1f549 1f54e ' +
      '1f5d1 1f6ab 1f6ad-1f6b1 1f6b3 1f6b7-1f6bc 1f6be 1f6c2-1f6c5 1f6d0 1f6dc 1f7e0-1f7f0 1faaf 203c-2199 21a9-21aa ' +
      '23cf 23e9-23ef 23f8-23fa 24c2-25fe 2611 2620-262f 2638 2640-2653 2660-2668 267b-267f 2695 269b-26ab 26ce 26d4 ' +
      '2705 2714-2721 2733-2734 2747-2757 2795-27bf 2934-2935 2b05-2b1c 2b55 3030-3299',
  ],
]

type Range = { from: number; to: number; category: Category }

const ranges: readonly Range[] = CODES.flatMap(([category, codes]) =>
  codes.split(' ').map((range) => {
    const [from = '', to = from] = range.split('-')
    return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16), category }
  }),
)

/** Returns the category of an emoji by its code; objects by default. */
export function categoryOf(code: string): Category {
  const first = Number.parseInt(code, 16)
  return ranges.find(({ from, to }) => from <= first && first <= to)?.category ?? 'Objects'
}

/** Returns true if the emoji is a face. Faces are the most common reactions and come first. */
export const isFace = (code: string): boolean => /^1f6[0-4]/.test(code)
