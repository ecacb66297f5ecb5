/** Returns an emoji name for a file name. It consists of lowercase letters, digits, dashes, underscores and periods. */
export const toEmojiName = (fileName: string): string =>
  fileName
    .replace(/\.\w+$/, '')
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^0-9a-z.-]+/g, '_')
    .replace(/^[._-]+/, '')
    .slice(0, 100)
    .replace(/[._-]+$/, '')
