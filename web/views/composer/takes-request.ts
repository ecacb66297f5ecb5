import { toParticipants } from '../../store/messages/narrow.ts'
import type { Organization } from '../../store/organization.ts'
import type { ComposeRequest } from '../../store/page/compose-request.ts'
import type { ComposerPage, Destination } from './destination.ts'

/** Returns true if the compose box of the page handles the request. */
export function takesRequest(page: ComposerPage, { conversation }: ComposeRequest, { user_id }: Organization): boolean {
  if (page.kind === 'any') return true
  if (page.kind === 'direct')
    return 'people' in conversation && String(toParticipants(conversation.people, user_id)) === String(page.people)
  return 'channelId' in conversation && conversation.channelId === page.channelId
}

/** Returns the recipients that a request names. */
export const toDestination = ({ conversation }: ComposeRequest): Destination =>
  'people' in conversation
    ? { kind: 'direct', people: conversation.people }
    : { kind: 'channel', channelId: conversation.channelId, topic: conversation.topic ?? '' }
