import { type RefObject, useEffect, useState } from 'react'

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

/** The sizes of files in bytes, by address; null if the server does not report the size. */
const sizes = new Map<string, Promise<number | null>>()

/**
 * Returns the size of a file of this site in bytes; null if it is unknown. The size is fetched when the element comes
 * near the window.
 */
export function useFileSize(element: RefObject<Element | null>, address: string | null): number | null {
  const [size, setSize] = useState<number | null>(null)
  useEffect(() => {
    if (element.current === null || address === null) return
    let isOver = false
    const observer = new IntersectionObserver(
      async (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        const found = await sizeOf(address)
        if (!isOver) setSize(found)
      },
      { rootMargin: '100%' },
    )
    observer.observe(element.current)
    return () => {
      isOver = true
      observer.disconnect()
    }
  }, [element, address])
  return size
}

function sizeOf(address: string): Promise<number | null> {
  const known = sizes.get(address) ?? fetchSize(address)
  sizes.set(address, known)
  return known
}

async function fetchSize(address: string): Promise<number | null> {
  try {
    const { ok, headers } = await fetch(address, { method: 'HEAD' })
    const length = headers.get('content-length')
    return ok && length !== null && !headers.has('content-encoding') ? Number(length) : null
  } catch {
    return null
  }
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Returns the text for a size, such as "1.2 MB". */
export function fileSizeText(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000
    unit += 1
  }
  const form = { style: 'unit', unit: UNITS[unit]!, unitDisplay: unit === 0 ? 'long' : 'short' } as const
  return new Intl.NumberFormat(undefined, { ...form, maximumFractionDigits: size < 10 ? 1 : 0 }).format(size)
}
