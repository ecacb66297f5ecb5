import { useMutation } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import EyeOff from 'lucide-react/icons/eye-off'
import Hash from 'lucide-react/icons/hash'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { PageFrame } from '../navigation/page.tsx'
import { membersOfPicked, PickerField } from '../picking/picker.tsx'
import { type PickerChoice, pickedAddresses, pickedPeople } from '../picking/picker-choices.ts'
import { fieldErrors, toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { useStoredState } from '../store/stored-state.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { ErrorSummary, type FieldErrors, focusFirst } from '../ui/error-summary.tsx'
import { CheckboxField, RadioCards, TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty, Loading } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import { mayCreateChannels } from './channel.ts'
import * as css from './channel-forms.module.css'
import { privacyCards } from './channel-row.tsx'
import { findListedChannel, listedChannels } from './listing.ts'
import { availablePrivacies, type Privacy, toNewPrivacy } from './settings/privacy.ts'

type Filled = {
  name: string
  description: string
  privacy: Privacy | null
  isDefault: boolean
  announces: boolean
  picks: readonly PickerChoice[]
}

const NOTHING: Filled = { name: '', description: '', privacy: null, isDefault: false, announces: true, picks: [] }

/** The form for a new channel. It keeps its content until the channel is created or the user cancels. */
export function NewChannel(): ReactNode {
  const organization = useOrganization()
  const offered = availablePrivacies(mayCreateChannels(organization))
  return (
    <PageFrame
      title={t('Create channel')}
      within={organization.realm_name}
      icon={<Hash className="icon" aria-hidden="true" />}
      about={t('A channel is a shared space. Topics keep its conversations apart.')}
      back={{ to: '/channels', label: t('Back to {page}', { page: t('Channels') }) }}
    >
      {offered.length === 0 ? (
        <Empty icon={<EyeOff />} title={t('You can’t create channels')}>
          <p>{t('Ask an administrator to create the channel for you.')}</p>
        </Empty>
      ) : (
        <NewChannelForm offered={offered} />
      )}
    </PageFrame>
  )
}

/** Opens the channel as soon as its event has arrived. */
function CreatedChannel({ name }: { name: string }): ReactNode {
  const { subscriptions } = useOrganization('subscriptions')
  const channel = subscriptions.find((one) => one.name === name)
  if (channel === undefined) return <Loading label={t('Loading channel')} lines={6} />
  return <Navigate to="/channels/$channelId" params={{ channelId: String(channel.stream_id) }} replace />
}

function NewChannelForm({ offered }: { offered: readonly Privacy[] }): ReactNode {
  const organization = useOrganization()
  const [filled, fill, forget] = useStoredState('channels.new', () => NOTHING)
  const [errors, setErrors] = useState<FieldErrors>({})
  const form = useRef<HTMLFormElement>(null)
  const { name, description, picks } = filled
  const privacy = offered.find((one) => one === filled.privacy) ?? offered[0]!
  const mayBeDefault = organization.is_admin && privacy === 'public'
  const { mutate, isPending, error, data } = useMutation({
    async mutationFn() {
      const others = pickedPeople(organization, picks, await membersOfPicked(picks))
      const { subscribed } = await call('POST /users/me/subscriptions', {
        subscriptions: [{ name: name.trim(), description: description.trim() }],
        ...toNewPrivacy(privacy),
        is_default_stream: mayBeDefault && filled.isDefault,
        announce: filled.announces,
        ...(others.length > 0 && { principals: [...new Set([organization.user_id, ...others])] }),
      })
      return subscribed[organization.user_id]?.[0] ?? name.trim()
    },
    onSuccess() {
      forget()
      showToast(t('#{name} created', { name: name.trim() }))
    },
    onError: (failure) => showErrors(fieldErrors(failure, { name: 'name', description: 'description' })),
  })
  const isBeside = Object.keys(errors).length > 0

  function showErrors(found: FieldErrors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function write(change: Partial<Filled>) {
    fill(change)
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !(field in change))))
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found = findErrors(organization, filled)
    showErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  if (data !== undefined) return <CreatedChannel name={data} />
  return (
    <form ref={form} className={css.channelForm} aria-label={t('Create channel')} noValidate onSubmit={submit}>
      {error !== null && !isBeside && (
        <ErrorNotice title={t('Couldn’t create the channel')} error={toAppError(error)} />
      )}
      <ErrorSummary errors={errors} />
      <ChannelFields
        offered={offered}
        filled={{ ...filled, privacy }}
        mayBeDefault={mayBeDefault}
        errors={errors}
        onChange={write}
      />
      <div className={`row ${css.channelFormEnd}`}>
        <Link to="/channels" className="button" onClick={forget}>
          {t('Cancel')}
        </Link>
        <Button type="submit" kind="primary" isPending={isPending}>
          {t('Create channel')}
        </Button>
      </div>
    </form>
  )
}

function ChannelFields(props: {
  offered: readonly Privacy[]
  filled: Filled & { privacy: Privacy }
  mayBeDefault: boolean
  errors: FieldErrors
  onChange: (change: Partial<Filled>) => void
}): ReactNode {
  const { offered, filled, mayBeDefault, errors, onChange } = props
  const organization = useOrganization()
  const { realm_name, user_id } = organization
  const announced = findListedChannel(organization, organization.realm_new_stream_announcements_stream_id)?.channel
  return (
    <>
      <TextField
        label={t('Name')}
        name="name"
        value={filled.name}
        error={errors['name'] ?? null}
        onChange={(name) => onChange({ name })}
      />
      <TextField
        label={t('Description')}
        name="description"
        rows={2}
        value={filled.description}
        error={errors['description'] ?? null}
        description={t('Describes the channel to people who browse channels.')}
        onChange={(description) => onChange({ description })}
      />
      <RadioCards
        label={t('Who can join?')}
        value={filled.privacy}
        onChange={(value) => onChange({ privacy: value as Privacy })}
        cards={privacyCards(offered)}
      />
      {mayBeDefault && (
        <CheckboxField isSelected={filled.isDefault} onChange={(isDefault) => onChange({ isDefault })}>
          {t('Add everyone who joins {organization} from now on', { organization: realm_name })}
        </CheckboxField>
      )}
      {announced !== undefined && filled.privacy === 'public' && (
        <CheckboxField isSelected={filled.announces} onChange={(announces) => onChange({ announces })}>
          {t('Announce the channel in #{channel}', { channel: announced.name })}
        </CheckboxField>
      )}
      <PickerField
        label={t('Add people')}
        description={t('People, groups, or the subscribers of another channel. You can paste email addresses.')}
        offered={{ groups: 'all', channels: true }}
        picks={filled.picks}
        without={new Set([user_id])}
        onChange={(picks) => onChange({ picks })}
        error={errors['picks'] ?? null}
      />
    </>
  )
}

function findErrors(organization: ReturnType<typeof useOrganization>, { name, picks }: Filled): FieldErrors {
  const target = name.trim().toLowerCase()
  const isTaken = listedChannels(organization).some(({ channel }) => channel.name.toLowerCase() === target)
  const unknown = pickedAddresses(picks)
  return {
    ...(target === '' && { name: t('Enter a name.') }),
    ...(isTaken && { name: t('A channel with this name already exists.') }),
    ...(unknown.length > 0 && { picks: t('Fix or remove unknown people: {names}', { names: unknown.join(', ') }) }),
  }
}
