import { hash, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Settings } from '#config.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import type { CallService } from '../outside-services.ts'

// Meetings on a BigBlueButton server. The link in a message leads to this server, which creates the meeting, if it is not
// running yet, and redirects the user into it. The link is sealed, so that nobody can enter other meetings of the
// BigBlueButton server with it.

/** A meeting. The user who has started the call is its moderator. */
export type Meeting = { id: string; name: string; isVoiceOnly: boolean; moderatorId: number }

export const JOIN_PATH = '/calls/bigbluebutton/join'

const purposeOf = (realmId: number) => ['bigbluebutton', realmId]

/** Returns the path at which users of the organization join the meeting. */
export function joinPath(secret: KeyObject, realmId: number, meeting: Meeting): string {
  const { id, name, isVoiceOnly, moderatorId } = meeting
  return `${JOIN_PATH}?bigbluebutton=${seal(secret, purposeOf(realmId), [id, name, isVoiceOnly, moderatorId])}`
}

const sealedMeeting = z.tuple([z.string(), z.string(), z.boolean(), z.int()])

/** Returns the meeting of a sealed link; null if this server did not make the link for this organization. */
export function readMeeting(secret: KeyObject, realmId: number, sealed: string): Meeting | null {
  const { data } = sealedMeeting.safeParse(readSealedContent(sealed))
  if (data === undefined || !verifySeal(secret, purposeOf(realmId), data, sealed)) return null
  const [id, name, isVoiceOnly, moderatorId] = data
  return { id, name, isVoiceOnly, moderatorId }
}

/** The lengths of names that BigBlueButton accepts. */
const MIN_NAME_LENGTH = 2
const MAX_NAME_LENGTH = 64

/** Returns the name of a meeting in the form that BigBlueButton accepts. */
export function toMeetingName(name: string): string {
  const cut = Array.from(name.trim()).slice(0, MAX_NAME_LENGTH).join('')
  return cut.length < MIN_NAME_LENGTH ? `Meeting ${cut}`.trim() : cut
}

/** Returns the address of a call of the API. The checksum proves that the caller knows the shared secret. */
function signedAddress(
  { BIG_BLUE_BUTTON_URL, BIG_BLUE_BUTTON_SECRET }: Settings,
  name: 'create' | 'join',
  params: Readonly<Record<string, string>>,
): string {
  const query = Object.entries(params)
    .map(([param, value]) => `${param}=${encode(value)}`)
    .join('&')
  return `${BIG_BLUE_BUTTON_URL}/api/${name}?${query}&checksum=${hash('sha256', name + query + BIG_BLUE_BUTTON_SECRET)}`
}

/** Escapes everything that a browser or a proxy may escape on the way, because the checksum covers the bytes as sent. */
const encode = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** The outcome of creating a meeting: its time of creation, or the reason why there is none. */
type Created = { createTime: string } | 'unreachable' | 'wrong secret' | 'failed'

/** Creates the meeting. The server does nothing if it is running already. */
export async function createMeeting(call: CallService, settings: Settings, meeting: Meeting): Promise<Created> {
  const answer = await call({
    method: 'GET',
    url: signedAddress(settings, 'create', {
      meetingID: meeting.id,
      name: meeting.name,
      lockSettingsDisableCam: String(meeting.isVoiceOnly),
    }),
  })
  if (answer === null) return 'unreachable'
  if (valueIn(answer.body, 'messageKey') === 'checksumError') return 'wrong secret'
  const createTime = valueIn(answer.body, 'createTime')
  if (answer.status !== 200 || valueIn(answer.body, 'returncode') !== 'SUCCESS' || createTime === null) return 'failed'
  return { createTime }
}

/** Returns the text of an element without children in the XML of a response. */
const valueIn = (xml: string, element: string): string | null =>
  new RegExp(`<${element}>\\s*([A-Za-z0-9]{1,40})\\s*</${element}>`).exec(xml)?.[1] ?? null

/** Returns the address at which a user enters the meeting. It is valid only for the meeting that was just created. */
export function enterAddress(
  settings: Settings,
  meeting: Meeting,
  user: { id: number; fullName: string },
  createTime: string,
): string {
  return signedAddress(settings, 'join', {
    meetingID: meeting.id,
    role: user.id === meeting.moderatorId ? 'MODERATOR' : 'VIEWER',
    fullName: user.fullName,
    createTime,
  })
}
