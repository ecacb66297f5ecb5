import type { Mail } from './mail.ts'

/** The maximum number of slow emails at a time. They are counted separately, so that they do not hold up all others. */
const MAX_SLOW = 12

/**
 * The maximum number of emails to one domain at a time if one of them is slow. A relay may hang for that domain alone.
 */
const MAX_EACH_SLOW_DOMAIN = 6

type MailSlot = { readonly domain: string; isSlow: boolean }

/** Limits the number of emails sent at a time. */
type MailSlots = {
  take(mail: Mail): MailSlot
  free(mail: Mail): void
  has(mailId: number): boolean
  countTaken(): number
  /** Returns the number of emails that can be started now. */
  countFree(): number
  /** Returns the domains to which no more emails can be started. */
  findFullDomains(): string[]
}

const domainOf = ({ recipient }: Mail) => /@([a-z0-9.-]+)$/.exec(recipient.toLowerCase())?.[1] ?? ''

/** Opens slots for `concurrency` emails at a time. Slow emails do not count. */
export function openMailSlots(concurrency: number): MailSlots {
  const taken = new Map<number, MailSlot>()
  const isFull = (slots: MailSlot[]) => slots.length >= MAX_EACH_SLOW_DOMAIN && slots.some(({ isSlow }) => isSlow)
  return {
    take(mail) {
      const slot = { domain: domainOf(mail), isSlow: false }
      taken.set(mail.id, slot)
      return slot
    },
    free: ({ id }) => void taken.delete(id),
    has: (mailId) => taken.has(mailId),
    countTaken: () => taken.size,
    countFree() {
      const slow = [...taken.values()].filter(({ isSlow }) => isSlow).length
      return Math.min(concurrency - (taken.size - slow), concurrency + MAX_SLOW - taken.size)
    },
    findFullDomains() {
      const byDomain = Map.groupBy(taken.values(), ({ domain }) => domain)
      return [...byDomain].filter(([domain, slots]) => domain !== '' && isFull(slots)).map(([domain]) => domain)
    },
  }
}
