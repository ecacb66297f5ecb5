/** Returns a name without case and accents, as searches for names compare it. */
export const plainName = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
