import { useOrganization } from '../organization.ts'
import type { Message } from './message.ts'

const NONE: readonly string[] = []

/** Returns the user's alert words if the server found one in the message; none otherwise. */
export function useAlertWords({ flags }: Pick<Message, 'flags'>): readonly string[] {
  const { alert_words } = useOrganization()
  return flags.includes('has_alert_word') ? alert_words : NONE
}
