import type { Organization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { type Edit, emojiEdit, type Selection } from '../editor/formatting.ts'

/** The kind of a call: participants join with or without their camera on. */
export type CallKind = 'video' | 'voice'

/** Returns the address of the server on which calls take place; null if the organization has no calls. */
export function findCallServer(organization: Organization): string | null {
  const { realm_video_chat_provider, realm_available_video_chat_providers: providers } = organization
  if (realm_video_chat_provider !== providers['jitsi_meet']?.id) return null
  return organization.realm_jitsi_server_url ?? organization.server_jitsi_server_url
}

/**
 * Returns an edit that inserts a link to a new call. The name of the room can't be guessed, because anyone who knows it
 * can enter the room.
 */
export function callEdit(server: string, kind: CallKind, selection: Selection): Edit {
  const address = `${server.replace(/\/+$/, '')}/${randomRoom()}`
  const link =
    kind === 'video'
      ? `[${t('Join video call.')}](${address})`
      : `[${t('Join voice call.')}](${address}#config.startWithVideoMuted=true)`
  return emojiEdit(link, selection)
}

/** Letters and digits that are easy to distinguish, because people may read the name of a room aloud. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789'

const randomRoom = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => SIGNS[byte % SIGNS.length]).join('')
