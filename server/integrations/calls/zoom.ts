import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Settings } from '#config.ts'
import type { ServiceAnswer } from '#lib/guarded-fetch.ts'
import { hashSecret, readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { realmAddress } from '#realms/realm.ts'
import type { CallService, ServiceOrigins } from '../outside-services.ts'

// The interface of Zoom: a user lets this server start meetings in their account (OAuth), and the server then creates
// them. Nothing that Zoom returns is trusted: tokens must fit into a header, and links must lead to Zoom.

/** The tokens of a user. An access token is valid for an hour; a refresh token can be used once. */
export type ZoomTokens = { access: string; refresh: string; expiresAt: number }

export const COMPLETE_PATH = '/calls/zoom/complete'

/** The address to which Zoom sends users back. It is that of the root organization, because Zoom must know it. */
const returnAddress = ({ EXTERNAL_URL }: Settings) => realmAddress('', EXTERNAL_URL).url + COMPLETE_PATH

/** The page at which users have to start again after this time, in seconds. */
const STATE_LIFETIME = 900

/** The content of a state: the id of the organization, the time at which it expires, and a hash of the session. */
const stateContent = z.tuple([z.int(), z.number(), z.string()])

/** Returns a value that proves, when Zoom returns it, that this session of the organization has asked. */
export function stateOf(secret: KeyObject, realmId: number, session: { hash: string }, now: number): string {
  return seal(secret, ['zoom'], [realmId, now + STATE_LIFETIME, hashSecret(session.hash)])
}

function readState(secret: KeyObject, state: string): z.output<typeof stateContent> | null {
  const { data } = stateContent.safeParse(readSealedContent(state))
  return data !== undefined && verifySeal(secret, ['zoom'], data, state) ? data : null
}

/** Returns the id of the organization to which a state belongs; null if this server did not make it. */
export const realmIdIn = (secret: KeyObject, state: string): number | null => readState(secret, state)?.[0] ?? null

/** Returns whether this session of the organization has asked for the state, and not too long ago. */
export function isStateOf(
  secret: KeyObject,
  realmId: number,
  session: { hash: string },
  now: number,
  state: string,
): boolean {
  const [ofRealm, expiresAt, ofSession] = readState(secret, state) ?? []
  return ofRealm === realmId && now < (expiresAt ?? 0) && ofSession === hashSecret(session.hash)
}

/** Returns the address at which Zoom asks the user for access. */
export function consentAddress(origins: ServiceOrigins, settings: Settings, state: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: settings.VIDEO_ZOOM_CLIENT_ID,
    redirect_uri: returnAddress(settings),
    state,
  })
  return `${origins.zoom}/oauth/authorize?${query}`
}

/** A token that fits into a header. */
const token = z.string().regex(/^[\x21-\x7e]{1,8000}$/)

const tokenAnswer = z.object({ access_token: token, refresh_token: token, expires_in: z.number().positive() })

const MAX_TOKEN_LIFETIME = 86_400

/**
 * Exchanges a code or a refresh token for tokens. `refused` means that it is not valid or no longer so; null means that
 * Zoom could not be asked, or does not accept this server.
 */
export async function requestTokens(
  call: CallService,
  { origins, settings, now }: { origins: ServiceOrigins; settings: Settings; now: number },
  grant: { code: string } | { refresh: string },
): Promise<ZoomTokens | 'refused' | null> {
  const credentials = `${settings.VIDEO_ZOOM_CLIENT_ID}:${settings.VIDEO_ZOOM_CLIENT_SECRET}`
  const form = new URLSearchParams(
    'code' in grant
      ? { grant_type: 'authorization_code', code: grant.code, redirect_uri: returnAddress(settings) }
      : { grant_type: 'refresh_token', refresh_token: grant.refresh },
  )
  const answer = await call({
    method: 'POST',
    url: `${origins.zoom}/oauth/token`,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
  })
  if (answer === null) return null
  const body = parse(answer)
  if (answer.status === 400 && z.object({ error: z.literal('invalid_grant') }).safeParse(body).success) return 'refused'
  const { data } = tokenAnswer.safeParse(body)
  if (answer.status !== 200 || data === undefined) return null
  const expiresAt = now + Math.min(data.expires_in, MAX_TOKEN_LIFETIME)
  return { access: data.access_token, refresh: data.refresh_token, expiresAt }
}

/** Creates a meeting. Returns its link, `refused` if the token is not valid, or null if there is no meeting. */
export async function createZoomMeeting(
  call: CallService,
  origins: ServiceOrigins,
  { access }: ZoomTokens,
  isVideo: boolean,
): Promise<{ url: string } | 'refused' | null> {
  const answer = await call({
    method: 'POST',
    url: `${origins.zoomApi}/v2/users/me/meetings`,
    headers: { authorization: `Bearer ${access}`, 'content-type': 'application/json' },
    body: JSON.stringify({ default_password: true, settings: { host_video: isVideo, participant_video: isVideo } }),
  })
  if (answer === null) return null
  if (answer.status === 401) return 'refused'
  const { data } = z.object({ join_url: z.string().max(1000) }).safeParse(parse(answer))
  if (answer.status !== 201 || data === undefined) return null
  const url = toMeetingLink(data.join_url)
  return url === null ? null : { url }
}

const ZOOM_HOST = /(?:^|\.)(?:zoom\.us|zoom\.com|zoomgov\.com)$/

/** Returns the link to a meeting in a form that fits into Markdown; null if it does not lead to Zoom. */
function toMeetingLink(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 'https:' || url.username !== '' || !ZOOM_HOST.test(url.hostname)) return null
  return url.href.replace(/[()\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

function parse({ body }: ServiceAnswer): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
