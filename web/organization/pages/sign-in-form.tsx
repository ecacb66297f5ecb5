import { queryOptions, useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { showToast } from '../../ui/toasts.ts'

export type Providers = AnswerOf<'GET /realm/sign_in_providers'>
export type SignInProvider = Providers['providers'][number]
type Preset = Providers['presets'][number]

export const providersQuery = queryOptions({
  queryKey: ['sign-in-providers'],
  queryFn: ({ signal }) => call('GET /realm/sign_in_providers', {}, { signal }),
  // There is no event for some of these changes. The user may have signed in with a provider in another tab.
  staleTime: 0,
  refetchOnWindowFocus: true,
})

export const refreshProviders = (): Promise<void> => queryClient.invalidateQueries(providersQuery)

/** The services of which some organizations run their own server. */
const OWN_SERVERS: ReadonlySet<string> = new Set(['github', 'gitlab'])

type Draft = {
  preset: string
  name: string
  issuer: string
  clientId: string
  secret: string
  teamId: string
  keyId: string
  isTrusted: boolean
}

type Part = Exclude<keyof Draft, 'preset' | 'isTrusted'>

function toDraft(provider: SignInProvider | null, presets: readonly Preset[]): Draft {
  const settings = provider?.settings ?? {}
  const textOf = (name: string) => (typeof settings[name] === 'string' ? settings[name] : '')
  const preset = textOf('preset') || (presets[0]?.preset ?? '')
  return {
    preset,
    name: textOf('name'),
    issuer: textOf('issuer') === presets.find((one) => one.preset === preset)?.issuer ? '' : textOf('issuer'),
    clientId: textOf('client_id'),
    secret: '',
    teamId: textOf('team_id'),
    keyId: textOf('key_id'),
    isTrusted: settings['addresses_are_verified'] === true,
  }
}

/** Returns the declaration of the provider. Settings without a field in this form stay as they are. */
function toSettings(draft: Draft, provider: SignInProvider | null): Record<string, unknown> {
  const given = (text: string) => text.trim() || undefined
  const isApple = draft.preset === 'apple'
  return {
    ...provider?.settings,
    preset: draft.preset,
    name: given(draft.name),
    issuer: given(draft.issuer),
    client_id: draft.clientId.trim(),
    team_id: isApple ? given(draft.teamId) : undefined,
    key_id: isApple ? given(draft.keyId) : undefined,
    addresses_are_verified: draft.isTrusted || undefined,
  }
}

/** The fields by their names in the API. */
const PARTS: Readonly<Record<string, Part>> = {
  name: 'name',
  issuer: 'issuer',
  client_id: 'clientId',
  team_id: 'teamId',
  key_id: 'keyId',
}

/** Returns the field that an error is about, and what is wrong with it; null if it is about none. */
function refusedPart(message: string): { part: Part; problem: string } | null {
  const [, name = '', problem = ''] = /^Invalid sign-in provider: (\w+): (.*)$/.exec(message) ?? []
  const part = PARTS[name]
  return part === undefined ? null : { part, problem: `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}.` }
}

/** Returns the errors of fields that are empty but needed. */
function missingParts(
  draft: Draft,
  provider: SignInProvider | null,
  needsIssuer: boolean,
): Partial<Record<Part, string>> {
  const isEmpty = (part: Part) => draft[part].trim() === ''
  const isApple = draft.preset === 'apple'
  return {
    ...(needsIssuer && isEmpty('issuer') && { issuer: t('Enter the issuer.') }),
    ...(isEmpty('clientId') && { clientId: t('Enter the client ID.') }),
    ...(provider === null && isEmpty('secret') && { secret: t('Enter the client secret.') }),
    ...(isApple && isEmpty('teamId') && { teamId: t('Enter the team ID.') }),
    ...(isApple && isEmpty('keyId') && { keyId: t('Enter the key ID.') }),
  }
}

/** Adds a provider, or edits the given one. */
export function ProviderDialog(props: {
  provider: SignInProvider | null
  presets: readonly Preset[]
  onClose: () => void
  onAdded: (provider: SignInProvider) => void
}): ReactNode {
  const { provider, presets, onClose, onAdded } = props
  const [draft, setDraft] = useState(() => toDraft(provider, presets))
  const [isChecked, setChecked] = useState(false)
  const preset = presets.find((one) => one.preset === draft.preset)
  const needsIssuer = preset?.issuer === null
  const { mutate, isPending, error, reset } = useMutation({
    async mutationFn() {
      const given = { provider: toSettings(draft, provider), client_secret: draft.secret }
      const id = provider?.id ?? (await call('POST /realm/sign_in_providers', given)).id
      if (provider !== null) await call('PATCH /realm/sign_in_providers/{provider_id}', { provider_id: id, ...given })
      const { providers } = await queryClient.fetchQuery(providersQuery)
      return providers.find((one) => one.id === id)
    },
    onSuccess(saved) {
      showToast(provider === null ? t('Provider added') : t('Provider saved'))
      onClose()
      if (provider === null && saved !== undefined) onAdded(saved)
    },
  })
  const missing = missingParts(draft, provider, needsIssuer)
  const refusal = error === null ? null : toAppError(error)
  const refused = refusal === null ? null : refusedPart(refusal.message)

  const errorFor = (part: Part): string | null =>
    (isChecked ? missing[part] : undefined) ?? (refused?.part === part ? refused.problem : null)

  function change(changed: Partial<Draft>) {
    setDraft({ ...draft, ...changed })
    reset()
  }

  function submit() {
    setChecked(true)
    if (Object.keys(missing).length === 0) mutate()
  }

  const field = (part: Part) => ({
    autoComplete: 'off',
    spellCheck: 'false' as const,
    value: draft[part],
    error: errorFor(part),
    onChange: (value: string) => change({ [part]: value }),
  })

  return (
    <Dialog
      title={provider === null ? t('Add a provider') : t('Edit {name}', { name: provider.name })}
      isOpen
      onClose={onClose}
      ignoresClicksOutside
    >
      <DialogForm
        action={provider === null ? t('Add provider') : t('Save')}
        isPending={isPending}
        onSubmit={submit}
        onCancel={onClose}
      >
        {refusal !== null && refused === null && (
          <ErrorNotice title={t('Couldn’t save the provider')} error={refusal} />
        )}
        {provider === null && (
          <SelectField
            label={t('Service')}
            value={draft.preset}
            options={presets.map(({ preset: id, name }) => ({
              id,
              label: id === 'openid' ? t('Other service with OpenID Connect') : name,
            }))}
            description={t('First register Parley there as a web application. It then shows an ID and a secret.')}
            onChange={(id) => change({ preset: id, issuer: '' })}
          />
        )}
        <TextField
          {...field('name')}
          label={t('Name')}
          maxLength={40}
          placeholder={preset?.name ?? ''}
          description={t('Optional. The button says “Continue with …”.')}
        />
        {(needsIssuer || OWN_SERVERS.has(draft.preset)) && (
          <TextField
            {...field('issuer')}
            label={t('Issuer')}
            type="url"
            placeholder={preset?.issuer ?? t('https://login.example.com')}
            description={
              needsIssuer
                ? t('The address of the provider, without /.well-known/openid-configuration.')
                : t('Only for a server of your own: its address.')
            }
          />
        )}
        <TextField {...field('clientId')} label={t('Client ID')} />
        {draft.preset === 'apple' && (
          <>
            <TextField {...field('teamId')} label={t('Team ID')} />
            <TextField {...field('keyId')} label={t('Key ID')} />
          </>
        )}
        <TextField
          {...field('secret')}
          {...(draft.preset === 'apple' ? { rows: 4 } : { type: 'password', autoComplete: 'new-password' })}
          label={draft.preset === 'apple' ? t('Content of the key file') : t('Client secret')}
          description={
            provider === null
              ? t('Stored encrypted. Nobody can read it here afterwards.')
              : t('Leave it empty to keep the current one.')
          }
        />
        <div>
          <CheckboxField isSelected={draft.isTrusted} onChange={(isTrusted) => change({ isTrusted })}>
            {t('Accept email addresses that it doesn’t mark as verified')}
          </CheckboxField>
          <p className="field-description">
            {t('Only if people can’t choose their address there. Otherwise, they could take over accounts.')}
          </p>
        </div>
        {provider !== null && draft.issuer.trim() !== toDraft(provider, presets).issuer && (
          <p>{t('With another issuer, everyone has to connect their account again.')}</p>
        )}
      </DialogForm>
    </Dialog>
  )
}
