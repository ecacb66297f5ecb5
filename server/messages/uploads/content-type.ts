/**
 * The types that browsers display without running code, by file extension. Browsers download all other files instead of
 * displaying them.
 */
const INLINE_TYPES: Record<string, string> = {
  aac: 'audio/aac',
  apng: 'image/apng',
  avif: 'image/avif',
  flac: 'audio/flac',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
  wav: 'audio/wav',
  weba: 'audio/webm',
  webm: 'video/webm',
  webp: 'image/webp',
}

/** Returns the content type for the file extension. The type that the client declared is ignored. */
export function contentTypeFor(fileName: string): { contentType: string; isInline: boolean } {
  const [, extension = ''] = /\.([^.]+)$/.exec(fileName.toLowerCase()) ?? []
  const contentType = Object.hasOwn(INLINE_TYPES, extension) ? INLINE_TYPES[extension] : undefined
  return { contentType: contentType ?? 'application/octet-stream', isInline: contentType !== undefined }
}
