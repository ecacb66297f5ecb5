import type { AnswerOf } from '../../api/types.ts'
import { toParticipants } from '../messages/narrow.ts'
import { type Draft, directDraftKey, topicDraftKey } from './drafts.ts'

/** A draft in the form that the server returns. */
export type ServerDraft = AnswerOf<'GET /drafts'>['drafts'][number]

/** A draft in the form that the client sends to the server. */
export type NewDraft = Pick<ServerDraft, 'type' | 'to' | 'topic' | 'content' | 'timestamp'>

/** Returns a draft of this browser in the form of the API. */
export function toServerDraft(key: string, draft: Draft, now: number): NewDraft {
  const content = draft.text ?? ''
  const timestamp = Math.floor(now)
  const people = peopleOfKey(key) ?? draft.people
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

/** Returns a draft of the server in the form of this browser, with its key. */
export function fromServerDraft(
  ownId: number,
  { type, to, topic, content }: ServerDraft,
): { key: string; draft: Draft } {
  if (type === 'private' && to.length > 0) {
    const people = toParticipants(to, ownId)
    return { key: directDraftKey(ownId, people), draft: { text: content } }
  }
  const channelId = type === 'stream' ? to[0] : undefined
  if (channelId === undefined) return { key: `${ownId}.any`, draft: { text: content } }
  return { key: topicDraftKey(ownId, channelId, topic), draft: { channelId, topic, text: content } }
}
