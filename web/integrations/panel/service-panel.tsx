import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Check from 'lucide-react/icons/check'
import MessageSquare from 'lucide-react/icons/message-square'
import { type ReactNode, useId, useState } from 'react'
import { BotType } from '#rules/role.ts'
import { call } from '../../api/call.ts'
import { sortedChannels } from '../../channels/channel.ts'
import { postingProblem } from '../../composer/posting-rights.ts'
import { ChannelIcon } from '../../navigation/conversation-name.tsx'
import { availableBotKinds } from '../../people/bot-kinds.ts'
import { describeSetting } from '../../picking/setting-values.ts'
import { IncomingDeliveries } from '../../settings/incoming-deliveries.tsx'
import { type Bot, useOwnBots } from '../../settings/own-bots.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import * as chipsCss from '../../ui/chips.module.css'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Address } from './address.tsx'
import * as css from './panel.module.css'
import { SendTest } from './send-test.tsx'
import { type Integration, Sample, Steps } from './service.tsx'
import { SigningSecret } from './signing-secret.tsx'
import type { WebhookChoices } from './webhook-url.ts'

/** The choice of a bot that does not exist yet. */
const NEW_BOT = 0

/** The choice of direct messages in place of a channel. */
const DIRECT = 0

/** The name of the parameter. */
const IGNORE_PRIVATE = 'ignore_private_repositories'

type Keys = {
  /** The API keys that were created on this page, by the ids of their bots. */
  keys: ReadonlyMap<number, string>
  onKey: (botId: number, key: string) => void
}

/** Connects a service: its bot, channel and events, the URL, a test message and the last deliveries. */
export function ServicePanel(props: Keys & { name: string; channelId: number | undefined }): ReactNode {
  const { name, channelId, ...keys } = props
  const {
    data: service,
    error,
    refetch,
  } = useQuery({
    queryKey: ['integration', name],
    queryFn: ({ signal }) => call('GET /integrations/{integration}', { integration: name }, { signal }),
  })
  const { data: bots, error: botsError, refetch: refetchBots } = useOwnBots()
  const failed = service === undefined ? error : bots === undefined ? botsError : null
  if (failed !== null)
    return (
      <ErrorNotice
        title={t('Couldn’t load the integration')}
        error={toAppError(failed)}
        onRetry={() => void (service === undefined ? refetch() : refetchBots())}
      />
    )
  if (service === undefined || bots === undefined) return <Loading label={t('Loading integration')} lines={5} />
  const hooks = bots.filter(({ bot_type }) => bot_type === BotType.incomingWebhook)
  return (
    <div className={css.panel}>
      {service.kind === 'webhook' ? (
        <Webhook service={service} bots={hooks} channelId={channelId} {...keys} />
      ) : (
        <ByScript service={service} />
      )}
    </div>
  )
}

/** A service that connects by a script of its own. */
function ByScript({ service }: { service: Integration }): ReactNode {
  return (
    <>
      <p>{t('{title} sends messages with a script, as a bot that you create.', { title: service.title })}</p>
      <Steps service={service} />
      <div>
        <Link to="/settings/$section" params={{ section: 'bots' }} className="button">
          {t('Your bots')}
        </Link>
      </div>
      <Sample service={service} />
    </>
  )
}

function Webhook(
  props: Keys & { service: Integration; bots: readonly Bot[]; channelId: number | undefined },
): ReactNode {
  const { service, bots, channelId: givenId, keys, onKey } = props
  const organization = useOrganization()
  const mayCreate = availableBotKinds(organization).some(({ id }) => id === BotType.incomingWebhook)
  const { data: usedId } = useUsedBot(service, bots)
  const [chosenId, chooseBot] = useState<number | null>(null)
  const defaultId = usedId ?? bots.find(({ full_name }) => full_name === service.title)?.user_id
  const botId = chosenId ?? defaultId ?? (mayCreate ? NEW_BOT : bots[0]?.user_id)
  const bot = bots.find(({ user_id }) => user_id === botId)

  const channels = sortedChannels(organization.subscriptions).filter(
    ({ stream_id }) => postingProblem(organization, { kind: 'channel', channelId: stream_id, topic: '' }) === null,
  )
  const given = channels.find(({ stream_id }) => stream_id === givenId)
  const [target, setTarget] = useState<number | null>(given?.stream_id ?? null)
  const [topic, setTopic] = useState('')
  const [events, setEvents] = useState<readonly string[]>([])
  const [options, setOptions] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<string | null>(null)
  const choices: WebhookChoices | null =
    target === null ? null : { channelId: target === DIRECT ? null : target, topic, events, options }
  const isDirect = target === DIRECT
  const hasBranches = service.category === 'version-control' && service.events.some(({ name }) => /push/i.test(name))
  const fields = [
    ...(hasBranches ? [{ name: 'branches', label: t('Only these branches, separated by commas') }] : []),
    ...service.options,
  ]

  /** Returns the choices; shows an error if no channel is chosen. */
  function check(): WebhookChoices | null {
    setError(choices === null ? t('Choose where the messages go.') : null)
    return choices
  }

  if (botId === undefined)
    return (
      <>
        <NoBots title={service.title} />
        <Sample service={service} />
      </>
    )
  return (
    <>
      {bots.length > 0 && (
        <SelectField
          label={t('Bot')}
          value={botId}
          onChange={chooseBot}
          options={[
            ...bots.map(({ user_id, full_name }) => ({ id: user_id, label: full_name })),
            ...(mayCreate ? [{ id: NEW_BOT, label: t('New bot') }] : []),
          ]}
        />
      )}
      <div className={css.target}>
        <SelectField
          label={t('Channel')}
          name="channel"
          value={target}
          error={error}
          onChange={(id) => {
            setTarget(id)
            setError(null)
          }}
          options={[
            ...channels.map((channel) => ({
              id: channel.stream_id,
              label: channel.name,
              icon: <ChannelIcon channel={channel} />,
            })),
            {
              id: DIRECT,
              label: t('Direct message to you'),
              icon: <MessageSquare className="icon" aria-hidden="true" />,
            },
          ]}
        />
        <TextField
          label={t('Topic')}
          name="topic"
          placeholder={
            isDirect ? '' : service.category === 'version-control' ? t('by repository') : t('by the service')
          }
          maxLength={organization.max_topic_length}
          isDisabled={isDirect}
          value={isDirect ? '' : topic}
          onChange={setTopic}
        />
      </div>
      {service.events.length > 1 && (
        <Events events={commonFirst(service.events, service.summary)} chosen={events} onChange={setEvents} />
      )}
      {(fields.length > 0 || service.signed) && (
        <details className={css.more} open={service.signed}>
          <summary>{t('More options')}</summary>
          {fields.map(({ name, label }) => (
            <TextField
              key={name}
              label={label.replaceAll('`', '')}
              autoComplete="off"
              value={options[name] ?? ''}
              onChange={(value) => setOptions({ ...options, [name]: value })}
            />
          ))}
          {service.knows_private && (
            <CheckboxField
              isSelected={options[IGNORE_PRIVATE] !== undefined}
              onChange={(isOn) => {
                const { [IGNORE_PRIVATE]: _, ...others } = options
                setOptions(isOn ? { ...others, [IGNORE_PRIVATE]: 'true' } : others)
              }}
            >
              {t('Ignore private repositories')}
            </CheckboxField>
          )}
          {service.signed &&
            (bot === undefined ? (
              <p className="soft small">{t('A secret can be set here when the bot has been created.')}</p>
            ) : (
              <SigningSecret key={bot.user_id} service={service} botId={bot.user_id} />
            ))}
        </details>
      )}
      <Address
        service={service}
        bot={bot}
        apiKey={keys.get(botId)}
        check={check}
        choices={choices}
        onKey={(id, key) => {
          onKey(id, key)
          chooseBot(id)
        }}
      />
      <SendTest service={service} bot={bot} isMain={keys.has(botId)} check={check} />
      <Sample service={service} bot={bot} chosen={events} />
      {bot !== undefined && (
        <section aria-labelledby="integration-deliveries">
          <h3 id="integration-deliveries" className={css.label}>
            {t('Last deliveries')}
          </h3>
          <IncomingDeliveries key={bot.user_id} service={service} botId={bot.user_id} />
        </section>
      )}
    </>
  )
}

/** Returns the id of the user's bot that the service has used in the last days; null if there is none. */
function useUsedBot(service: Integration, bots: readonly Bot[]) {
  const ids = bots.map(({ user_id }) => user_id)
  return useQuery({
    queryKey: ['integration-bot', service.name, ids],
    async queryFn({ signal }) {
      for (const bot_id of ids) {
        const params = { bot_id, integration: service.name, num: 1 }
        const { deliveries } = await call('GET /bots/{bot_id}/webhook_deliveries', params, { signal })
        if (deliveries.length > 0) return bot_id
      }
      return null
    },
    enabled: service.connections > 0,
  })
}

/** Explains why the user has no bot for the service, and what to do. */
function NoBots({ title }: { title: string }): ReactNode {
  const organization = useOrganization()
  const { is_guest, realm_can_create_write_only_bots_group: setting } = organization
  return (
    <Notice title={t('You don’t have permission to create bots')}>
      {is_guest ? (
        <p>{t('{title} posts as a bot, and guests can’t create bots. Ask a member to connect it.', { title })}</p>
      ) : (
        <p>
          {t('{title} posts as a bot. Ask an administrator to connect it, or to let you create bots.', { title })}{' '}
          {t('Bots can be created by: {who}', { who: describeSetting(organization, setting) })}
        </p>
      )}
    </Notice>
  )
}

/** Returns the events in the order of the summary, such as “Pushes, pull requests”, and then the others. */
function commonFirst(events: Integration['events'], summary: string): Integration['events'] {
  const named = summary.toLowerCase().split(', ')
  const orderOf = (title: string) => {
    const at = named.findIndex((words) => words.startsWith(title.toLowerCase()))
    return at === -1 ? named.length : at
  }
  return events.toSorted((one, other) => orderOf(one.title) - orderOf(other.title))
}

/** The number of events that are shown first. */
const SHOWN = 8

/** The events that are posted, as chips. Without a choice, all are. */
function Events(props: {
  events: Integration['events']
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}): ReactNode {
  const { events, chosen, onChange } = props
  const [isWhole, showWhole] = useState(false)
  const id = useId()
  const shown = isWhole ? events : events.filter(({ name }, at) => at < SHOWN || chosen.includes(name))
  const toggle = (name: string) =>
    onChange(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name])
  const chip = (key: string, title: string, isOn: boolean, onClick: () => void) => (
    <button key={key} type="button" className={chipsCss.chip} aria-pressed={isOn} onClick={onClick}>
      {isOn && <Check className="icon" aria-hidden="true" />}
      {title}
    </button>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: its label is no legend
    <div role="group" aria-labelledby={id}>
      <h3 id={id} className={css.label}>
        {t('Events')}
      </h3>
      <div className={`${chipsCss.chips} ${css.events}`}>
        {chip('*', t('All events'), chosen.length === 0, () => onChange([]))}
        {shown.map(({ name, title }) => chip(name, title, chosen.includes(name), () => toggle(name)))}
        {shown.length < events.length && (
          <button type="button" className={css.moreEvents} onClick={() => showWhole(true)}>
            {t('Show all {count}', { count: events.length })}
          </button>
        )}
      </div>
    </div>
  )
}
