import type { AnswerOf } from '../../api/types.ts'
import { toParticipants } from '../messages/narrow.ts'
import { type Draft, directDraftKey, newDraftKey, topicDraftKey } from './drafts.ts'

/** A draft in the form that the server returns. */
export type ServerDraft = AnswerOf<'GET /drafts'>['drafts'][number]

/** A draft in the form that the client sends to the server. */
export type NewDraft = Pick<ServerDraft, 'type' | 'to' | 'topic' | 'content' | 'timestamp'>

/** Returns a draft of this browser in the form of the API. */
export function toServerDraft(key: string, draft: Draft, now: number): NewDraft {
  const content = draft.text ?? ''
  const timestamp = Math.floor(now)
  // Other devices do not know the name that the user has not finished, and must not send the message to the others.
  if (draft.name?.trim()) return { type: '', to: [], topic: '', content, timestamp }
  // A draft can be for other recipients than the page on which it is written.
  const people = draft.people ?? (draft.channelId === undefined ? peopleOfKey(key) : undefined)
  if (people?.length === 0) return { type: '', to: [], topic: '', content, timestamp }
  if (people !== undefined) return { type: 'private', to: [...people], topic: '', content, timestamp }
  const channelId = draft.channelId ?? channelOfKey(key)
  if (channelId === undefined) return { type: '', to: [], topic: '', content, timestamp }
  return { type: 'stream', to: [channelId], topic: draft.topic ?? '', content, timestamp }
}

function peopleOfKey(key: string): number[] | undefined {
  const [, list] = /^\d+\.dm\.([\d,]+)$/.exec(key) ?? []
  return list?.split(',').map(Number)
}

function channelOfKey(key: string): number | undefined {
  const [, id] = /^\d+\.(\d+)(?:\.|$)/.exec(key) ?? []
  return id === undefined ? undefined : Number(id)
}

/**
 * Returns a string that identifies the recipients of a draft. It is the same for the request and for the response, in
 * which the server has trimmed the topic.
 */
export const recipientsForm = ({ type, to, topic }: Pick<NewDraft, 'type' | 'to' | 'topic'>): string =>
  JSON.stringify([type, to.toSorted(), topic.trim()])

/** Returns the recipients of a draft of the server in the form of this browser. */
export function recipientsOf(ownId: number, { type, to, topic }: NewDraft): Omit<Draft, 'text'> {
  if (type === 'private' && to.length > 0) return { people: toParticipants(to, ownId) }
  const channelId = type === 'stream' ? to[0] : undefined
  return channelId === undefined ? {} : { channelId, topic }
}

/** Returns the key under which this browser stores a draft of the server that it does not know. */
export function keyOfServerDraft(ownId: number, remote: NewDraft): string {
  const { people, channelId, topic = '' } = recipientsOf(ownId, remote)
  if (people !== undefined) return directDraftKey(ownId, people)
  return channelId === undefined ? newDraftKey(ownId) : topicDraftKey(ownId, channelId, topic)
}
