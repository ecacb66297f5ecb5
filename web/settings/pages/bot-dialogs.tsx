import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { BotType, ServiceInterface } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import { isPasswordRefusal, useCurrentPassword } from '../../forms/current-password.tsx'
import type { BotKindInfo } from '../../people/bot-kinds.ts'
import { fieldErrors, toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { RadioCards, TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import { type Bot, type BotField, botFields, fetchAddress, refreshBots, toShortName } from '../own-bots.ts'
import { ShownKey } from './shown-key.tsx'

type BotErrors = Partial<Record<BotField, string | undefined>>

const WRONG_URL = t('Enter a URL that begins with https:// or http://.')

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text.trim())?.protocol ?? '')

/** Returns the errors of the form's fields. The server's error about the URL has the name of a parameter. */
function botErrors(failure: unknown): BotErrors {
  const found = fieldErrors(failure, botFields)
  return found.url === undefined ? found : { ...found, url: WRONG_URL }
}

type CreatedBot = { apiKey: string; email: string; kind: BotKindInfo | undefined }

/** Creates a bot, and then shows its API key once. */
export function NewBotDialog({ kinds, onClose }: { kinds: readonly BotKindInfo[]; onClose: () => void }): ReactNode {
  const [created, setCreated] = useState<CreatedBot | null>(null)
  return (
    <Dialog
      title={created === null ? t('New bot') : t('Your bot’s API key')}
      isOpen
      onClose={onClose}
      ignoresClicksOutside={created !== null}
    >
      {created === null ? (
        <NewBotForm kinds={kinds} onClose={onClose} onCreated={setCreated} />
      ) : (
        <ShownKey apiKey={created.apiKey} email={created.email} onClose={onClose}>
          {created.kind !== undefined && <p className="soft">{created.kind.next}</p>}
        </ShownKey>
      )}
    </Dialog>
  )
}

function NewBotForm(props: {
  kinds: readonly BotKindInfo[]
  onClose: () => void
  onCreated: (bot: CreatedBot) => void
}): ReactNode {
  const { kinds, onClose, onCreated } = props
  const { realm_url } = useOrganization('realm_url')
  const [kindId, setKindId] = useState(kinds[0]?.id ?? BotType.generic)
  const [name, setName] = useState('')
  const [typedShortName, setShortName] = useState<string | null>(null)
  const [url, setUrl] = useState('')
  const [format, setFormat] = useState<number>(ServiceInterface.generic)
  const [errors, setErrors] = useState<BotErrors>({})
  const form = useRef<HTMLFormElement>(null)
  const currentPassword = useCurrentPassword()
  const shortName = typedShortName ?? toShortName(name)
  const address = `${shortName.trim() || '…'}-bot@${new URL(realm_url).hostname}`
  const isOutgoing = kindId === BotType.outgoingWebhook
  const { mutate, isPending, error } = useMutation({
    async mutationFn() {
      const { user_id, api_key } = await call('POST /bots', {
        full_name: name.trim(),
        short_name: shortName.trim(),
        bot_type: kindId,
        ...(isOutgoing && { payload_url: url.trim(), interface_type: format }),
        ...currentPassword.params,
      })
      // The key is returned only once, so it must always be shown.
      const email = await fetchAddress(user_id).catch(() => address)
      return { apiKey: api_key, email, kind: kinds.find(({ id }) => id === kindId) }
    },
    onSuccess(bot) {
      refreshBots()
      onCreated(bot)
    },
    onError(failure) {
      showErrors(botErrors(failure))
      currentPassword.onError(failure)
    },
  })

  function showErrors(found: BotErrors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit() {
    const found = {
      ...(name.trim() === '' && { name: t('Enter a name.') }),
      ...(shortName.trim() === '' && { shortName: t('Enter a short name.') }),
      ...(isOutgoing && !isHttpUrl(url) && { url: WRONG_URL }),
    }
    showErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  return (
    <DialogForm ref={form} action={t('Create bot')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && !isPasswordRefusal(error) && Object.keys(errors).length === 0 && (
        <ErrorNotice title={t('Couldn’t create the bot')} error={toAppError(error)} />
      )}
      <ErrorSummary errors={errors} />
      <RadioCards
        label={t('Bot type')}
        value={String(kindId)}
        onChange={(id) => setKindId(Number(id))}
        cards={kinds.map(({ id, label, hint }) => ({ id: String(id), label, hint }))}
      />
      <BotFields
        filled={{ name, shortName, url: isOutgoing ? url : null }}
        address={address}
        errors={errors}
        onName={(value) => {
          setName(value)
          setErrors({ ...errors, name: undefined })
        }}
        onShortName={(value) => {
          setShortName(value)
          setErrors({ ...errors, shortName: undefined })
        }}
        onUrl={(value) => {
          setUrl(value)
          setErrors({ ...errors, url: undefined })
        }}
      />
      {isOutgoing && <FormatField value={format} onChange={setFormat} />}
      {currentPassword.field}
    </DialogForm>
  )
}

/** The format in which an outgoing webhook gets messages. */
function FormatField({ value, onChange }: { value: number; onChange: (format: number) => void }): ReactNode {
  return (
    <RadioCards
      label={t('Message format')}
      value={String(value)}
      onChange={(id) => onChange(Number(id))}
      cards={[
        {
          id: String(ServiceInterface.generic),
          label: t('JSON'),
          hint: t('All data of the message. For new programs, and for those written for Zulip.'),
        },
        {
          id: String(ServiceInterface.slack),
          label: t('Slack-compatible'),
          hint: t(
            'A form as Slack sends it. For programs written for Slack. Of direct messages, only commands are sent.',
          ),
        },
      ]}
    />
  )
}

function BotFields(props: {
  /** The URL is null for bots that have none. */
  filled: { name: string; shortName: string; url: string | null }
  address: string
  errors: BotErrors
  onName: (name: string) => void
  onShortName: (shortName: string) => void
  onUrl: (url: string) => void
}): ReactNode {
  const { address, errors } = props
  const { name, shortName, url } = props.filled
  return (
    <>
      <TextField
        label={t('Name')}
        name="name"
        autoComplete="off"
        maxLength={MAX_LENGTH.fullName}
        value={name}
        error={errors.name ?? null}
        onChange={props.onName}
      />
      <TextField
        label={t('Short name')}
        name="shortName"
        autoComplete="off"
        value={shortName}
        error={errors.shortName ?? null}
        description={t('Email address: {address}', { address })}
        onChange={props.onShortName}
      />
      {url !== null && (
        <TextField
          label={t('Endpoint URL')}
          name="url"
          type="url"
          autoComplete="off"
          placeholder={t('https://example.com/hook')}
          value={url}
          error={errors.url ?? null}
          onChange={props.onUrl}
        />
      )}
    </>
  )
}

/** Edits a bot's name, and the URL and format of an outgoing webhook. */
export function ChangeDialog({ bot, onClose }: { bot: Bot; onClose: () => void }): ReactNode {
  const { user_id, full_name, services } = bot
  const [service] = services
  const [name, setName] = useState(full_name)
  const [url, setUrl] = useState(service?.base_url ?? '')
  const [format, setFormat] = useState(service?.interface ?? ServiceInterface.generic)
  const [errors, setErrors] = useState<BotErrors>({})
  const form = useRef<HTMLFormElement>(null)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call('PATCH /bots/{bot_id}', {
        bot_id: user_id,
        ...(name.trim() !== full_name && { full_name: name.trim() }),
        ...(service !== undefined && url.trim() !== service.base_url && { service_payload_url: url.trim() }),
        ...(service !== undefined && format !== service.interface && { service_interface: format }),
        ...currentPassword.params,
      }),
    onSuccess() {
      refreshBots()
      showToast(t('Changes saved'))
      onClose()
    },
    onError(failure) {
      showErrors(botErrors(failure))
      currentPassword.onError(failure)
    },
  })

  function showErrors(found: BotErrors) {
    setErrors(found)
    focusFirst(form.current, found)
  }

  function submit() {
    const found = {
      ...(name.trim() === '' && { name: t('Enter a name.') }),
      ...(service !== undefined && !isHttpUrl(url) && { url: WRONG_URL }),
    }
    showErrors(found)
    if (Object.keys(found).length === 0) mutate()
  }

  return (
    <Dialog title={t('Edit {name}', { name: full_name })} isOpen onClose={onClose}>
      <DialogForm ref={form} action={t('Save')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {error !== null && !isPasswordRefusal(error) && Object.keys(errors).length === 0 && (
          <ErrorNotice title={t('Couldn’t save the changes')} error={toAppError(error)} />
        )}
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="off"
          autoFocus
          maxLength={MAX_LENGTH.fullName}
          value={name}
          error={errors.name ?? null}
          onChange={(value) => {
            setName(value)
            setErrors({ ...errors, name: undefined })
          }}
        />
        {service !== undefined && (
          <TextField
            label={t('Endpoint URL')}
            name="url"
            type="url"
            autoComplete="off"
            value={url}
            error={errors.url ?? null}
            onChange={(value) => {
              setUrl(value)
              setErrors({ ...errors, url: undefined })
            }}
          />
        )}
        {service !== undefined && <FormatField value={format} onChange={setFormat} />}
        {currentPassword.field}
      </DialogForm>
    </Dialog>
  )
}
