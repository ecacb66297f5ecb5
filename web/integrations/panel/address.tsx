import { useMutation } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { type FormEvent, type ReactNode, useState } from 'react'
import { BotType } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { type AnswerOf, call } from '../../api/call.ts'
import { isPasswordRefusal, useCurrentPassword } from '../../forms/current-password.tsx'
import { type Bot, botFields, refreshBots, toShortName } from '../../settings/own-bots.ts'
import { fieldErrors, toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useCopied } from '../../ui/copy-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import * as css from './panel.module.css'
import type { Integration } from './service.tsx'
import { type WebhookChoices, webhookUrl } from './webhook-url.ts'

/** The URL for the service. It contains an API key of the bot, which the server returns only when it is created. */
export function Address(props: {
  service: Integration
  /** The bot; undefined for a new one. */
  bot: Bot | undefined
  /** A key of the bot that was created on this page. */
  apiKey: string | undefined
  choices: WebhookChoices | null
  /** Returns the choices, or shows an error and returns null. */
  check: () => WebhookChoices | null
  onKey: (botId: number, key: string) => void
}): ReactNode {
  const { service, bot, apiKey, choices, check, onKey } = props
  const { realm_url } = useOrganization('realm_url')
  if (apiKey !== undefined && choices !== null)
    return <ShownAddress service={service} url={webhookUrl(realm_url, service.name, apiKey, choices)} />
  return bot === undefined ? (
    <NewBot service={service} check={check} onKey={onKey} />
  ) : (
    <NewKey key={bot.user_id} bot={bot} check={check} onKey={onKey} />
  )
}

function ShownAddress({ service: { title }, url }: { service: Integration; url: string }): ReactNode {
  const [isCopied, copy] = useCopied(url)
  return (
    <div className={css.address}>
      <TextField
        label={t('Paste this address into {title}', { title })}
        isReadOnly
        value={url}
        onFocus={({ target }) => (target as HTMLInputElement).select()}
        description={t(
          'It contains a key of the bot, so treat it like a password. Copy it now: it is shown only until you leave this page.',
        )}
        after={<IconButton label={t('Copy address')} icon={isCopied ? Check : Copy} onPress={copy} />}
      />
      <span className="visually-hidden" role="status">
        {isCopied && t('Copied')}
      </span>
    </div>
  )
}

type CreatedBot = AnswerOf<'POST /bots'>

/** The number of addresses that are tried for a bot whose own one is taken. */
const MAX_ATTEMPTS = 5

/** Creates the bot for the service, and with it the key for the URL. */
function NewBot(props: {
  service: Integration
  check: () => WebhookChoices | null
  onKey: (botId: number, key: string) => void
}): ReactNode {
  const { service, check, onKey } = props
  const { realm_users } = useOrganization('realm_users')
  const [name, setName] = useState(() => freeName(service.title, new Set(realm_users.map((one) => one.full_name))))
  const [problem, setProblem] = useState<string | null>(null)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => createBot(name.trim(), toShortName(name) || toShortName(service.name), currentPassword.params),
    onSuccess({ user_id, api_key }) {
      refreshBots()
      onKey(user_id, api_key)
    },
    onError(failure) {
      setProblem(Object.values(fieldErrors(failure, botFields))[0] ?? null)
      currentPassword.onError(failure)
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    const found = name.trim() === '' ? t('Enter a name.') : null
    setProblem(found)
    if (check() !== null && found === null && !isPending) mutate()
  }

  return (
    <form className={css.address} noValidate onSubmit={submit}>
      {error !== null && !isPasswordRefusal(error) && problem === null && (
        <ErrorNotice title={t('Couldn’t create the bot')} error={toAppError(error)} />
      )}
      <TextField
        label={t('Name of the bot')}
        name="name"
        autoComplete="off"
        maxLength={MAX_LENGTH.fullName}
        value={name}
        error={problem}
        description={t('A new bot posts the messages of {title} under this name.', { title: service.title })}
        onChange={setName}
      />
      {currentPassword.field}
      <div>
        <Button type="submit" kind="primary" isPending={isPending}>
          {t('Create bot and address')}
        </Button>
      </div>
    </form>
  )
}

/** Returns the name, followed by a number if it is taken. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`
  return free
}

/** Creates a bot for incoming webhooks. If its address is taken, a number is added. Rejects with `ApiError`. */
async function createBot(full_name: string, shortName: string, password: { password?: string }): Promise<CreatedBot> {
  for (let attempt = 1; ; attempt += 1) {
    const short_name = attempt === 1 ? shortName : `${shortName}-${attempt}`
    try {
      return await call('POST /bots', { full_name, short_name, bot_type: BotType.incomingWebhook, ...password })
    } catch (error) {
      const isTaken = fieldErrors(error, { short_name: 'name' }).name !== undefined
      if (!isTaken || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** Creates a further key of an existing bot for the URL, because the keys that the bot has cannot be shown again. */
function NewKey(props: {
  bot: Bot
  check: () => WebhookChoices | null
  onKey: (botId: number, key: string) => void
}): ReactNode {
  const { bot, check, onKey } = props
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /bots/{bot_id}/api_keys', { bot_id: bot.user_id, ...currentPassword.params }),
    onSuccess: ({ api_key }) => onKey(bot.user_id, api_key),
    onError: currentPassword.onError,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (check() !== null && !isPending) mutate()
  }

  return (
    <form className={css.address} noValidate onSubmit={submit}>
      {error !== null && !isPasswordRefusal(error) && (
        <ErrorNotice title={t('Couldn’t create the address')} error={toAppError(error)} />
      )}
      <p className="soft small">
        {t(
          'The address contains a key of {name}, which is shown only once. Addresses that you created before keep working.',
          {
            name: bot.full_name,
          },
        )}
      </p>
      {currentPassword.field}
      <div>
        <Button type="submit" kind="primary" isPending={isPending}>
          {t('Create address')}
        </Button>
      </div>
    </form>
  )
}
