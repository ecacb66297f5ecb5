import { useOrganizationPart } from '../organization.ts'
import type { Message } from './message.ts'

const NONE: readonly string[] = []

/** Returns the user's alert words if the server found one in the message; none otherwise. */
export function useAlertWords({ flags }: Pick<Message, 'flags'>): readonly string[] {
  const hasAny = flags.includes('has_alert_word')
  return useOrganizationPart(({ alert_words }) => (hasAny ? alert_words : NONE))
}
