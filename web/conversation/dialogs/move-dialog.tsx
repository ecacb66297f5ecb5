import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { topicError, topicLengthError } from '../../composer/errors.ts'
import { matchNames } from '../../composer/match-names.ts'
import type { Message } from '../../messages/message.ts'
import { isSameTopic, topicTitle } from '../../messages/narrow.ts'
import { mayMoveToChannel, mayMoveToTopic } from '../../messages/rights.ts'
import { channelTopics } from '../../messages/topics.ts'
import { ChannelIcon } from '../../navigation/conversation-name.tsx'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { SuggestedField } from '../../ui/combo-field.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { focusFirst } from '../../ui/error-summary.tsx'
import { CheckboxField } from '../../ui/field.tsx'
import { useMinute } from '../../ui/moments.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { showToast } from '../../ui/toasts.ts'
import type { PartProps } from './part.ts'

const EXTENTS = [
  { id: 'change_one', label: t('Only this message') },
  { id: 'change_later', label: t('This message and all later ones') },
  { id: 'change_all', label: t('The whole topic') },
] as const

type Extent = (typeof EXTENTS)[number]['id']

type Target = { channelId: number; topic: string; extent: Extent; notifiesOld: boolean; notifiesNew: boolean }

/** Moves a message, alone or with other messages of its topic. `extent` is the initial choice. */
export function MoveDialog({
  extent = 'change_one',
  ...props
}: Omit<PartProps, 'trigger'> & { extent?: Extent }): ReactNode {
  return (
    <Dialog title={extent === 'change_all' ? t('Move topic') : t('Move messages')} isOpen onClose={props.onClose}>
      <MoveForm extent={extent} {...props} />
    </Dialog>
  )
}

function MoveForm(props: Omit<PartProps, 'trigger'> & { extent: Extent }): ReactNode {
  const { message, extent, onClose } = props
  const organization = useOrganization()
  const now = useMinute()
  const form = useRef<HTMLFormElement>(null)
  const here = message.stream_id ?? 0
  const [target, setTarget] = useState<Target>({
    channelId: here,
    topic: message.subject,
    extent,
    notifiesOld: false,
    notifiesNew: true,
  })
  const [topicError, setTopicError] = useState<string | null>(null)
  const [isTyped, setTyped] = useState(false)
  const { data: topics = [] } = useQuery(channelTopics(target.channelId))
  const want = (change: Partial<Target>) => setTarget((before) => ({ ...before, ...change }))
  const { mutate, isPending, error } = useMutation({
    async mutationFn() {
      const back = await toChangeBack(message, target)
      await call('PATCH /messages/{message_id}', { message_id: message.id, ...toChange(message, target) })
      return back
    },
    onSuccess(back) {
      showToast(t('Messages moved'), back === null ? {} : { undo: () => void moveBack(message, back) })
      onClose()
    },
  })
  const topicIsOpen = mayMoveToTopic(organization, message, now)

  function submit() {
    const found = problemWith(message, target, organization, topicIsOpen)
    setTopicError(found)
    focusFirst(form.current, { topic: found ?? undefined })
    if (found === null) mutate()
  }

  return (
    <DialogForm ref={form} action={t('Move')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
      {error !== null && <ErrorNotice title={t('Couldn’t move the messages')} error={toAppError(error)} />}
      {mayMoveToChannel(organization, message, now) && (
        <SelectField
          label={t('Channel')}
          name="channel"
          value={target.channelId}
          onChange={(channelId) => want({ channelId })}
          options={channelsFor(organization, here)}
        />
      )}
      <SuggestedField
        label={t('Topic')}
        name="topic"
        autoFocus
        isDisabled={!topicIsOpen}
        value={target.topic}
        suggestions={isTyped ? suggestTopics(topics, target.topic) : []}
        error={topicLengthError(target.topic) ?? topicError}
        description={organization.realm_mandatory_topics ? undefined : t('Leave empty for general chat')}
        onChange={(topic) => {
          want({ topic })
          setTyped(true)
          setTopicError(null)
        }}
      />
      <SelectField
        label={t('Messages to move')}
        value={target.extent}
        onChange={(extent) => want({ extent })}
        options={EXTENTS}
      />
      {mergesInto(topics, message, target) && (
        <Notice kind="warn">
          <p>
            {target.extent === 'change_all'
              ? t('The topic “{topic}” already exists. The two topics will be combined. This can’t be undone.', {
                  topic: topicTitle(target.topic.trim()),
                })
              : t('The topic “{topic}” already exists. The messages will be added to it. This can’t be undone.', {
                  topic: topicTitle(target.topic.trim()),
                })}
          </p>
        </Notice>
      )}
      <div className="stack">
        <CheckboxField isSelected={target.notifiesNew} onChange={(notifiesNew) => want({ notifiesNew })}>
          {t('Send a notice to the new location')}
        </CheckboxField>
        <CheckboxField isSelected={target.notifiesOld} onChange={(notifiesOld) => want({ notifiesOld })}>
          {t('Send a notice to the old location')}
        </CheckboxField>
      </div>
    </DialogForm>
  )
}

function channelsFor({ subscriptions }: Organization, here: number) {
  return subscriptions
    .filter(({ is_archived, stream_id }) => !is_archived || stream_id === here)
    .map((channel) => ({ id: channel.stream_id, label: channel.name, icon: <ChannelIcon channel={channel} /> }))
    .sort((one, other) => one.label.localeCompare(other.label))
}

/** Returns the topics of the chosen channel that match the typed text, except for the text itself. */
const suggestTopics = (topics: readonly { name: string }[], typed: string): string[] =>
  matchNames(topics, ({ name }) => [name], typed)
    .map(({ name }) => name)
    .filter((name) => name !== '' && name !== typed)

/** Returns an error if the form can't be submitted; null otherwise. */
function problemWith(
  message: Message,
  { channelId, topic }: Target,
  { realm_mandatory_topics }: Organization,
  topicIsOpen: boolean,
): string | null {
  if (channelId === message.stream_id && topic.trim() === message.subject)
    return topicIsOpen ? t('Choose a different topic or channel.') : t('Choose a different topic.')
  return topicError(topic, realm_mandatory_topics)
}

/** Returns true if the messages are moved into a topic that exists, so that they can't be moved back together. */
function mergesInto(
  topics: readonly { name: string }[],
  message: Message,
  { channelId, topic, extent }: Target,
): boolean {
  const name = topic.trim()
  if (extent === 'change_one' || (channelId === message.stream_id && isSameTopic(name, message.subject))) return false
  return topics.some((one) => isSameTopic(one.name, name))
}

type Change = ReturnType<typeof toChange>

/**
 * Returns the change that moves the messages back. Returns null if the new topic exists already, because its own
 * messages would be moved with several others.
 */
async function toChangeBack(message: Message, target: Target): Promise<Change | null> {
  const { channelId, topic, extent } = target
  const isAlone = extent === 'change_one'
  if (!isAlone) {
    const there = await queryClient.fetchQuery({ ...channelTopics(channelId), staleTime: 0 }).catch(() => null)
    if (there === null || there.some(({ name }) => isSameTopic(name, topic.trim()))) return null
  }
  const here = { channelId: message.stream_id ?? channelId, topic: message.subject }
  const moved = { ...message, stream_id: channelId, subject: topic.trim() }
  const quiet = { notifiesOld: false, notifiesNew: false }
  return toChange(moved, { ...here, ...quiet, extent: isAlone ? 'change_one' : 'change_all' })
}

async function moveBack({ id }: Message, back: Change): Promise<void> {
  try {
    await call('PATCH /messages/{message_id}', { message_id: id, ...back })
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
}

/** Returns the parameters of the API, with changed values only. */
function toChange(message: Message, { channelId, topic, extent, notifiesOld, notifiesNew }: Target) {
  return {
    ...(channelId !== message.stream_id && { stream_id: channelId }),
    ...(topic.trim() !== message.subject && { topic: topic.trim() }),
    propagate_mode: extent,
    send_notification_to_old_thread: notifiesOld,
    send_notification_to_new_thread: notifiesNew,
  }
}
