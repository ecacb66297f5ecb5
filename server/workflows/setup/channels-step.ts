import { channelNameKey, requireChannelName } from '#channels/channel.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { choices, type FormErrors, field, redirect, renderPage } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { catchRefusal } from '#http/refusals.ts'
import { Refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { bold, rich, t } from '#lib/text.ts'
import { GENERAL_CHANNEL, type InitialChannel, subdomainTaken } from '#organizations/create-organization.ts'
import { sessionCookie } from '#people/sessions.ts'
import { realmAddress, subdomainOf } from '#realms/realm.ts'
import {
  type CompletedSetup,
  type CompleteSetupDraft,
  type SetupDraft,
  setUpOrganization,
} from '../set-up-organization.ts'
import { organizationPage } from './organization-step.ts'
import { invalidSetupLinkPage, stepPage, subdomainError, withDraft } from './setup-page.ts'

const SUGGESTED: readonly InitialChannel[] = [
  { name: 'announcements', description: t('News for everyone.') },
  { name: 'help', description: t('Questions and answers.') },
  { name: 'random', description: t('Anything besides work.') },
]

/** The maximum number of channels that the form can create, in addition to `general`. */
const MAX_CHANNELS = 20

export const showChannelsStep = page({
  route: 'GET /new/{key}/channels/',
  who: 'anyone',
  handle(call, { key }) {
    return withDraft(call, key, 'channels/', () => channelsPage(key, { chosen: ['announcements'], more: '' }, {}))
  },
})

export const submitChannelsStep = page({
  route: 'POST /new/{key}/channels/',
  who: 'anyone',
  fields: ['announcements', 'help', 'random', 'more'],
  handle(call, { key, more, ...ticked }) {
    return withDraft(call, key, 'channels/', async (draft) => {
      const chosen = SUGGESTED.filter(({ name }) => ticked[name as keyof typeof ticked] !== '')
      const channels = await catchRefusal(async () => [
        ...chosen,
        ...requireMoreChannels(more, [GENERAL_CHANNEL, ...chosen]),
      ])
      const values = { chosen: chosen.map(({ name }) => name), more }
      if (channels instanceof Refusal) return channelsPage(key, values, { more: channels.message })
      if (channels.length > MAX_CHANNELS)
        return channelsPage(key, values, {
          more: t('Choose at most {limit} channels. You can add more later.', { limit: MAX_CHANNELS }),
        })
      const completed = await catchRefusal(() =>
        call.transaction((tx) => setUpOrganization(tx, key, draft as CompleteSetupDraft, channels, call.userAgent)),
      )
      if (completed instanceof Refusal) {
        if (draft.email === undefined || completed.kind !== subdomainTaken) throw completed
        return takenPage(call, key, draft)
      }
      if (completed === null) return invalidSetupLinkPage(call.settings)
      return welcome(call, completed)
    })
  },
})

/** Returns the first step again for a draft whose subdomain was taken after it was chosen. */
async function takenPage(call: PageCall, key: string, draft: SetupDraft): Promise<HttpResponse> {
  const { name = '', subdomain = '' } = draft.organization ?? {}
  return organizationPage(call, key, draft, {
    subdomain: await subdomainError(call.db, { name, subdomain }, 'taken'),
  })
}

/** Returns the channels in a comma-separated list, without duplicates and without those in `others`. */
function requireMoreChannels(list: string, others: readonly InitialChannel[]): InitialChannel[] {
  const taken = new Set(others.map(({ name }) => channelNameKey(name)))
  const channels: InitialChannel[] = []
  for (const piece of list.split(',').filter((text) => text.trim() !== '')) {
    const name = requireChannelName(piece)
    if (taken.has(channelNameKey(name))) continue
    taken.add(channelNameKey(name))
    channels.push({ name, description: '' })
  }
  return channels
}

/**
 * Redirects to the organization if it has the requested host. Otherwise it shows a link to the organization's login
 * page, because the session cookie would not be valid there.
 */
function welcome({ settings, host }: PageCall, { realm, owner, session, token }: CompletedSetup): HttpResponse {
  const isHere = subdomainOf(host, settings.EXTERNAL_URL, settings.REALM_HOSTS) === realm.subdomain
  if (isHere) return redirect('/', { 'set-cookie': sessionCookie(settings, token, session) })
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  return renderPage({
    heading: t('{realm} is ready', { realm: realm.name }),
    organization: realm,
    content: html`<p>${t('Its address is {url}.', { url })}</p>
<p><a class="button" href="${url}/login/?email=${encodeURIComponent(owner.deliveryEmail)}">${t('Sign in')}</a></p>
`,
  })
}

function channelsPage(
  key: string,
  { chosen, more }: { chosen: readonly string[]; more: string },
  errors: FormErrors,
): HttpResponse {
  return stepPage({
    key,
    path: 'channels/',
    heading: t('What will you talk about?'),
    button: t('Create the organization'),
    errors,
    fields: html`<p>${rich('Everyone who joins is subscribed to these channels and to <b>{channel}</b>.', { channel: GENERAL_CHANNEL.name, b: bold })}</p>
${suggestions(chosen)}${field({
  name: 'more',
  label: t('More channels'),
  hint: t('Separate names with commas.'),
  value: more,
  error: errors['more'],
  isFocused: errors['more'] !== undefined,
  autocomplete: 'off',
  isOptional: true,
})}`,
  })
}

const suggestions = (chosen: readonly string[]): Html =>
  choices({
    type: 'checkbox',
    legend: t('Suggested channels'),
    among: SUGGESTED.map(({ name, description }) => ({
      name,
      value: 'on',
      label: name,
      hint: description,
      isChosen: chosen.includes(name),
    })),
  })
