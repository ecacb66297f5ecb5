import { type RefObject, useEffect, useState } from 'react'

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
