/** An image format that every browser shows and that cannot contain scripts. */
export type ImageType = { extension: 'png' | 'gif' | 'jpg' | 'webp'; contentType: string }

const types = {
  png: { extension: 'png', contentType: 'image/png' },
  gif: { extension: 'gif', contentType: 'image/gif' },
  jpg: { extension: 'jpg', contentType: 'image/jpeg' },
  webp: { extension: 'webp', contentType: 'image/webp' },
} as const satisfies Record<string, ImageType>

/** Returns the format that the first bytes indicate; null if they indicate none of these formats. */
export function imageTypeOf(bytes: Buffer): ImageType | null {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return types.png
  if (/^GIF8[79]a/.test(start)) return types.gif
  if (start.startsWith('\xff\xd8\xff')) return types.jpg
  return /^RIFF.{4}WEBP$/s.test(start) ? types.webp : null
}

export function contentTypeOf(extension: ImageType['extension']): string {
  return types[extension].contentType
}
