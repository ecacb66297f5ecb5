/** Returns a short name for a bot. It consists of lowercase letters, digits and hyphens. */
export const toShortName = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$|-bot-*$/g, '')
