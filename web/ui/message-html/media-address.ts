export type PixelSize = { readonly width: number; readonly height: number }

/** Reads `data-original-dimensions`, such as `840x560`; null if it is missing or wrong. */
export function readSize(text: string | undefined): PixelSize | null {
  const found = /^(\d{1,5})x(\d{1,5})$/.exec(text ?? '')
  if (found === null) return null
  const [width, height] = [Number(found[1]), Number(found[2])]
  return width > 0 && height > 0 ? { width, height } : null
}

/** Returns the last part of an address, decoded, or the whole address if it has none. */
export function nameOfAddress(address: string): string {
  const last = address.split(/[?#]/, 1)[0]!.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last) || address
  } catch {
    return last
  }
}

/** Returns the host of an address of another site, or the address itself if it is invalid. */
export const hostOf = (address: string): string => URL.parse(address)?.host ?? address

/** Returns the extension in lower case; '' if there is none. */
export const extensionOf = (name: string): string => /\.([a-z\d]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? ''

const EXTENSIONS = {
  video: 'mp4 webm mov m4v ogv',
  audio: 'mp3 ogg oga wav m4a flac opus aac',
  image: 'png jpg jpeg gif webp avif svg bmp tiff heic',
  archive: 'zip gz tgz tar xz bz2 7z rar zst',
  code: 'js ts tsx jsx py rs go c h cpp java kt rb php css html json xml yaml yml toml sh sql patch diff',
  table: 'csv tsv xls xlsx ods',
  text: 'txt md pdf doc docx odt rtf ppt pptx odp tex log',
} as const

export type FileKind = keyof typeof EXTENSIONS | 'other'

const KINDS = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, list]) => list.split(' ').map((one) => [one, kind as FileKind] as const)),
)

/** Returns the probable kind of a file with this name. */
export const fileKind = (name: string): FileKind => KINDS.get(extensionOf(name)) ?? 'other'
