import { lazyPart } from '../../../ui/lazy-part.tsx'

/** The card of a user, beside the element that opened it. */
export const PersonCard = lazyPart(async () => (await import('./person-card.tsx')).PersonCard)

/** The card of a group, beside the element that opened it. */
export const GroupCard = lazyPart(async () => (await import('./group-card.tsx')).GroupCard)
