import { useOrganization } from '../organization.ts'
import type { Message } from './message.ts'

const NONE: readonly string[] = []

/** One's alert words for a message in which the server found one; none for any other. */
export function useAlertWords({ flags }: Pick<Message, 'flags'>): readonly string[] {
  const { alert_words } = useOrganization()
  return flags.includes('has_alert_word') ? alert_words : NONE
}
