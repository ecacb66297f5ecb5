import { z } from 'zod'
import type { Settings } from '#config.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { redirect, renderPage } from '#http/page-html.ts'
import { addressWithQuery, type PageCall, page, type Visitor } from '#http/pages.ts'
import type { RateRule } from '#http/rate-limits.ts'
import { rateLimitHit, refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { randomLetters } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { requesterOf } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { realmAddress } from '#realms/realm.ts'
import { callProviders, type RealmSettings } from '#realms/realm-settings.ts'
import { createMeeting, enterAddress, JOIN_PATH, joinPath, readMeeting, toMeetingName } from './calls/bigbluebutton.ts'
import {
  COMPLETE_PATH,
  consentAddress,
  createZoomMeeting,
  isStateOf,
  realmIdIn,
  requestTokens,
  stateOf,
  type ZoomTokens,
} from './calls/zoom.ts'
import type { CallService } from './outside-services.ts'
import { deleteRefusedTokens, findZoomTokens, saveZoomTokens } from './zoom-tokens.ts'

// Video and voice calls on servers of other services: the link to a new call, which a user sends in a message, and the
// pages behind it. Jitsi needs nothing of the server, because clients choose the name of a room themselves.

const hasBigBlueButton = ({ BIG_BLUE_BUTTON_URL, BIG_BLUE_BUTTON_SECRET }: Settings) =>
  BIG_BLUE_BUTTON_URL !== '' && BIG_BLUE_BUTTON_SECRET !== ''

const hasZoom = ({ VIDEO_ZOOM_CLIENT_ID, VIDEO_ZOOM_CLIENT_SECRET }: Settings) =>
  VIDEO_ZOOM_CLIENT_ID !== '' && VIDEO_ZOOM_CLIENT_SECRET !== ''

/** Returns the providers of calls that the operator has configured, by the names that clients know. */
export function availableCallProviders(settings: Settings): Record<string, { id: number; name: string }> {
  return {
    disabled: { id: callProviders.none, name: 'None' },
    jitsi_meet: { id: callProviders.jitsi, name: 'Jitsi Meet' },
    ...(hasZoom(settings) && { zoom: { id: callProviders.zoom, name: 'Zoom' } }),
    ...(hasBigBlueButton(settings) && {
      big_blue_button: { id: callProviders.bigBlueButton, name: 'BigBlueButton' },
    }),
  }
}

export const callProviderNotAvailable = refusal('BAD_REQUEST', 400, 'Invalid video_chat_provider {provider}', {
  field: 'video_chat_provider',
})

/** Refuses a provider of calls that the operator has not configured. */
export function requireCallProvider(settings: Settings, provider: RealmSettings['video_chat_provider'] | undefined) {
  if (provider === undefined) return
  const available = Object.values(availableCallProviders(settings))
  if (!available.some(({ id }) => id === provider)) throw callProviderNotAvailable({ provider })
}

const noBigBlueButton = refusal('BAD_REQUEST', 400, 'BigBlueButton is not configured.')

const createBigBlueButtonCall = endpoint({
  route: 'GET /calls/bigbluebutton/create',
  summary: 'Start a call on BigBlueButton',
  description:
    'Returns a link to a new call, relative to the address of the organization. Only users of the organization can follow it; the caller is the moderator. The meeting is created when the first of them does.',
  who: 'user',
  params: {
    meeting_name: z.string().describe('The name of the call. BigBlueButton shows its first 64 characters.'),
    voice_only: z.boolean().default(false).describe('Whether only the moderator may turn on their camera.'),
  },
  returns: { url: z.string() },
  refuses: [noBigBlueButton],
  handle({ actor, settings, secret, random }, { meeting_name: name, voice_only: isVoiceOnly }) {
    if (!hasBigBlueButton(settings)) throw noBigBlueButton()
    const id = `parley-${randomLetters(random, 24)}`
    const meeting = { id, name: toMeetingName(name), isVoiceOnly, moderatorId: actor.id }
    return { url: joinPath(secret, actor.realmId, meeting) }
  },
})

const noZoom = refusal('BAD_REQUEST', 400, 'Zoom is not configured.')
const invalidZoomToken = refusal(
  'INVALID_ZOOM_ACCESS_TOKEN',
  400,
  'Your account is not connected to Zoom. Connect it, then start the call again.',
)
const zoomFailed = refusal(
  'BAD_REQUEST',
  400,
  'Zoom did not start a call. Try again in a minute. If this happens again, ask your administrator to check the connection to Zoom.',
)

/** Seconds before the end of a token in which it is no longer used. */
const TOKEN_MARGIN = 60

/** Returns valid tokens of the user, new ones if the last have expired. Refuses if Zoom no longer accepts them. */
async function requireZoomTokens(call: Call, ask: CallService): Promise<ZoomTokens> {
  const { db, transaction, actor, secret, settings, outside, clock } = call
  const known = await findZoomTokens(db, secret, actor.id)
  if (known === null) throw invalidZoomToken()
  const now = clock.now()
  if (now < known.expiresAt - TOKEN_MARGIN) return known
  const fresh = await requestTokens(ask, { origins: outside.origins, settings, now }, { refresh: known.refresh })
  if (fresh === null) throw zoomFailed()
  if (fresh === 'refused') {
    const current = await findZoomTokens(db, secret, actor.id)
    // Another node has used the refresh token, which is valid once.
    if (current !== null && current.refresh !== known.refresh) return current
    throw await disconnected(call, known)
  }
  await transaction((tx) => saveZoomTokens(tx, call, actor, fresh))
  return fresh
}

/** Deletes tokens that Zoom refused, and returns the refusal that asks for new ones. */
async function disconnected({ transaction, actor, secret }: Call, refused: ZoomTokens) {
  await transaction((tx) => deleteRefusedTokens(tx, secret, actor, refused))
  return invalidZoomToken()
}

const createZoomCall = endpoint({
  route: 'POST /calls/zoom/create',
  summary: 'Start a call on Zoom',
  description:
    'Creates a meeting in the account of the user at Zoom, and returns its link. With `INVALID_ZOOM_ACCESS_TOKEN`, the user has to connect their account at `/calls/zoom/register`, in a browser with a session; the event `has_zoom_token` reports it.',
  who: 'human',
  params: { is_video_call: z.boolean().default(true).describe('Whether cameras are on when participants join.') },
  returns: { url: z.string() },
  refuses: [noZoom, invalidZoomToken, zoomFailed],
  async handle(call, { is_video_call: isVideo }) {
    const { settings, actor, outside } = call
    if (!hasZoom(settings)) throw noZoom()
    return outside.run('zoom', requesterOf(actor, settings.RATE_LIMITING), async (ask) => {
      const tokens = await requireZoomTokens(call, ask)
      const meeting = await createZoomMeeting(ask, outside.origins, tokens, isVideo)
      if (meeting === 'refused') throw await disconnected(call, tokens)
      if (meeting === null) throw zoomFailed()
      return meeting
    })
  },
})

export const callEndpoints = [createBigBlueButtonCall, createZoomCall]

/** The pages for calls that a user may open. */
const VISITS: readonly RateRule[] = [[60, 20]]

const joinBigBlueButtonCall = page({
  route: `GET ${JOIN_PATH}`,
  who: 'user',
  async handle(call) {
    const { settings, secret, realm, visitor, query, outside, log } = call
    if (!hasBigBlueButton(settings))
      return callErrorPage(call, 404, t('BigBlueButton is not set up'), t('Ask an administrator which service to use.'))
    const meeting = readMeeting(secret, realm.id, query.get('bigbluebutton') ?? '')
    if (meeting === null)
      return callErrorPage(
        call,
        404,
        t('This link is not valid'),
        t('It may have been cut off. Copy the whole link from the message, or start a new call.'),
      )
    requireRate(call, visitor)

    const requester = requesterOf(visitor.actor, settings.RATE_LIMITING)
    const created = await outside.run('bigBlueButton', requester, (ask) => createMeeting(ask, settings, meeting))
    if (typeof created === 'object') return redirect(enterAddress(settings, meeting, visitor.actor, created.createTime))
    log.warn({ reason: created }, 'A call on BigBlueButton could not be started')
    return callErrorPage(
      call,
      502,
      t('The call could not be started'),
      created === 'wrong secret'
        ? t('The BigBlueButton server does not accept the secret of this server. Tell your administrator.')
        : t('The BigBlueButton server does not respond as expected. Reload this page in a minute.'),
    )
  },
})

function requireRate({ rateLimiter, settings, clock }: PageCall, { actor }: Visitor): void {
  if (!settings.RATE_LIMITING) return
  const verdict = rateLimiter.take(`calls of ${actor.id}`, VISITS, clock.now())
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

const callErrorPage = ({ realm }: Pick<PageCall, 'realm'>, status: number, heading: string, advice: string) =>
  renderPage({ status, heading, organization: realm ?? undefined, content: html`<p>${advice}</p>\n` })

const zoomNotSetUp = (call: PageCall) =>
  callErrorPage(call, 404, t('Zoom is not set up'), t('Ask an administrator which service to use.'))

/** Asks the user at Zoom whether this server may start meetings in their account. */
const registerZoom = page({
  route: 'GET /calls/zoom/register',
  who: 'user',
  handle(call) {
    const { settings, secret, realm, visitor, clock, outside } = call
    if (!hasZoom(settings)) return zoomNotSetUp(call)
    const state = stateOf(secret, realm.id, visitor.session, clock.now())
    return redirect(consentAddress(outside.origins, settings, state))
  },
})

/** Zoom sends users back to the root organization; those of other organizations are sent on. */
const completeZoom = page({
  route: `GET ${COMPLETE_PATH}`,
  who: 'anyone',
  async handle(call) {
    const { db, settings, secret, realm, visitor, query, clock, host, outside, transaction } = call
    if (!hasZoom(settings)) return zoomNotSetUp(call)
    const state = query.get('state') ?? ''
    const realmId = realmIdIn(secret, state)
    const owner = realmId === null || realmId === realm?.id ? null : await findRealm(db, realmId)
    if (owner !== null) {
      const { url } = realmAddress(owner.subdomain, settings.EXTERNAL_URL)
      // The organization at its own address is never sent on again.
      if (new URL(url).host !== host) return redirect(url + addressWithQuery(call))
    }
    const now = clock.now()
    if (visitor === null || !isStateOf(secret, visitor.actor.realmId, visitor.session, now, state))
      return callErrorPage(
        call,
        400,
        t('This connection has expired'),
        t('Nothing was changed. Log in, and start the call again from your message.'),
      )
    const code = query.get('code')
    if (code === undefined || query.has('error'))
      return callErrorPage(
        call,
        400,
        t('Zoom is not connected'),
        t('Zoom was not allowed to start meetings for you. To allow it, start the call again from your message.'),
      )
    requireRate(call, visitor)

    const requester = requesterOf(visitor.actor, settings.RATE_LIMITING)
    const tokens = await outside.run('zoom', requester, (ask) =>
      requestTokens(ask, { origins: outside.origins, settings, now }, { code }),
    )
    if (tokens === null || tokens === 'refused') {
      const advice =
        tokens === null
          ? t(
              'Zoom does not respond as expected. Start the call again in a minute. If this happens again, tell your administrator.',
            )
          : t('Zoom did not accept the connection. Start the call again from your message.')
      return callErrorPage(call, 502, t('Zoom is not connected'), advice)
    }
    await transaction((tx) => saveZoomTokens(tx, call, visitor.actor, tokens))
    return renderPage({
      heading: t('Zoom is connected'),
      organization: visitor.actor.realm,
      content: html`<p>${t('You can close this page. The call is added to your message.')}</p>\n`,
    })
  },
})

export const callPages = [joinBigBlueButtonCall, registerZoom, completeZoom]
