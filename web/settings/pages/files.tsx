import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import Paperclip from 'lucide-react/icons/paperclip'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import type { Message } from '../../messages/message.ts'
import { conversationOf, topicTitle } from '../../messages/narrow.ts'
import { NarrowLink } from '../../navigation/narrow-link.tsx'
import { matchesName } from '../../navigation/row-list.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOwnId, useSubscription } from '../../store/organization.ts'
import { useConversationName } from '../../store/people.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty, Loading } from '../../ui/page-states.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from '../settings-table.module.css'
import { sizeText } from '../size-text.ts'

type OwnFile = AnswerOf<'GET /attachments'>['attachments'][number]

/** The files that the user has uploaded. No events keep them current, so they are loaded whenever the page opens. */
const ownFiles = queryOptions({
  queryKey: ['own-files'],
  queryFn: ({ signal }) => call('GET /attachments', {}, { signal }),
  staleTime: 0,
})

/** Asks before a file is deleted for everyone. */
function DeleteFileDialog({ file, onClose }: { file: OwnFile; onClose: () => void }): ReactNode {
  const { id, name, messages } = file
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /attachments/{attachment_id}', { attachment_id: id }),
    onSuccess() {
      void queryClient.invalidateQueries({ queryKey: ownFiles.queryKey })
      showToast(t('{name} deleted', { name }))
      onClose()
    },
  })
  return (
    <Dialog title={t('Delete {name}?', { name })} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t delete the file')} error={toAppError(error)} />}
        <p>
          {messages.length === 0
            ? t('None of the messages you can see link to it. You can’t undo this.')
            : t(
                '{count, plural, one {A message links to it. The message stays, but no one will be able to open the file.} other {# messages link to it. They stay, but no one will be able to open the file.}} You can’t undo this.',
                { count: messages.length },
              )}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Delete file')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The maximum number of messages that a file's row links to. */
const MAX_NAMED = 3

/** Returns the ids of the newest messages that contain the file, at most `MAX_NAMED`. */
const namedIds = ({ messages }: OwnFile): number[] =>
  messages
    .map(({ id }) => id)
    .toSorted((one, other) => other - one)
    .slice(0, MAX_NAMED)

/** Loads the messages that `FileUses` links to, for several files with one request. */
function useFileMessages(files: readonly OwnFile[]): ReadonlyMap<number, Message> {
  const ids = [...new Set(files.flatMap(namedIds))].toSorted((one, other) => one - other)
  const { data = [] } = useQuery({
    queryKey: ['file-messages', ids],
    queryFn: async ({ signal }) =>
      (await call('GET /messages', { message_ids: ids, allow_empty_topic_name: true }, { signal })).messages,
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  })
  return new Map(data.map((message) => [message.id, message as Message]))
}

/** Links to the newest messages that contain a file. */
function FileUses({ file, messages }: { file: OwnFile; messages: ReadonlyMap<number, Message> }): ReactNode {
  const ids = namedIds(file)
  if (ids.length === 0) return <span className="soft">{t('No message')}</span>
  const more = file.messages.length - ids.length
  return (
    <ul className={settingsCss.fileUses}>
      {ids.map((id) => {
        const message = messages.get(id)
        return <li key={id}>{message !== undefined && <Use message={message} />}</li>
      })}
      {more > 0 && <li className="soft">{t('{more} more', { more })}</li>}
    </ul>
  )
}

function Use({ message }: { message: Message }): ReactNode {
  const ownId = useOwnId()
  const conversation = conversationOf(message, ownId)
  const channel = useSubscription(conversation.kind === 'topic' ? conversation.channelId : 0)
  const nameOf = useConversationName()
  return (
    <NarrowLink narrow={conversation} near={message.id}>
      {conversation.kind === 'direct'
        ? nameOf(conversation.people)
        : t('#{channel} › {topic}', {
            channel: channel?.name ?? String(message.display_recipient),
            topic: topicTitle(conversation.topic),
          })}
    </NarrowLink>
  )
}

const ORDERS = {
  newest: (one: OwnFile, other: OwnFile) => other.create_time - one.create_time,
  oldest: (one: OwnFile, other: OwnFile) => one.create_time - other.create_time,
  largest: (one: OwnFile, other: OwnFile) => other.size - one.size,
  smallest: (one: OwnFile, other: OwnFile) => one.size - other.size,
  name: (one: OwnFile, other: OwnFile) => one.name.localeCompare(other.name),
  nameReversed: (one: OwnFile, other: OwnFile) => other.name.localeCompare(one.name),
}

type Order = keyof typeof ORDERS

/** The maximum number of files that are shown at first. */
const MAX_SHOWN = 100

/** The files that the user has uploaded, with their sizes and the messages that link to them. */
export function Files(): ReactNode {
  const { data, error, refetch } = useQuery(ownFiles)
  const [text, setText] = useState('')
  const [order, setOrder] = useState<Order>('newest')
  const [areAllShown, showAll] = useState(false)
  const [deleting, setDeleting] = useState<OwnFile | null>(null)
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading files')} />
  if (data.attachments.length === 0)
    return (
      <Empty icon={<Paperclip />} title={t('No uploaded files')}>
        <p>{t('Files that you attach to messages appear here.')}</p>
      </Empty>
    )
  const found = data.attachments.filter(({ name }) => matchesName(name, text)).toSorted(ORDERS[order])
  const shown = areAllShown ? found : found.slice(0, MAX_SHOWN)
  const total = data.attachments.reduce((sum, { size }) => sum + size, 0)
  return (
    <>
      <p>
        {t('{count, plural, one {# file} other {# files}}, {size}', {
          count: data.attachments.length,
          size: sizeText(total),
        })}
      </p>
      <search className={css.settingsFilters} aria-label={t('Filter files')}>
        <TextField label={t('Search files')} type="search" value={text} onChange={setText} />
        <SelectField
          label={t('Sort by')}
          value={order}
          options={[
            { id: 'newest', label: t('Newest first') },
            { id: 'oldest', label: t('Oldest first') },
            { id: 'largest', label: t('Largest first') },
            { id: 'smallest', label: t('Smallest first') },
            { id: 'name', label: t('Name') },
            { id: 'nameReversed', label: t('Name, Z to A') },
          ]}
          onChange={setOrder}
        />
      </search>
      {shown.length === 0 ? (
        <p className="soft">{t('No matching files.')}</p>
      ) : (
        <FileTable files={shown} onDelete={setDeleting} />
      )}
      {shown.length < found.length && (
        <Button onPress={() => showAll(true)}>{t('Show all {count} files', { count: found.length })}</Button>
      )}
      {deleting !== null && <DeleteFileDialog file={deleting} onClose={() => setDeleting(null)} />}
    </>
  )
}

function FileTable({ files, onDelete }: { files: readonly OwnFile[]; onDelete: (file: OwnFile) => void }): ReactNode {
  const messages = useFileMessages(files)
  return (
    <table className={css.settingsTable}>
      <thead>
        <tr>
          <th scope="col">{t('File')}</th>
          <th scope="col">{t('Size')}</th>
          <th scope="col">{t('Uploaded')}</th>
          <th scope="col">{t('Used in')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {files.map((file) => (
          <tr key={file.id}>
            <th scope="row">
              <a href={`/user_uploads/${file.path_id}`} target="_blank" rel="noopener noreferrer">
                {file.name}
              </a>
            </th>
            <td className={`soft ${css.settingsTableNumber}`}>{sizeText(file.size)}</td>
            <td className="soft">
              <Time at={file.create_time / 1000} as="ago" />
            </td>
            <td>
              <FileUses file={file} messages={messages} />
            </td>
            <td className={settingsCss.settingsAction}>
              <a
                className="button button-quiet"
                href={`/user_uploads/${file.path_id}`}
                download={file.name}
                aria-label={t('Download {name}', { name: file.name })}
              >
                {t('Download')}
              </a>
              <Button aria-label={t('Delete {name}', { name: file.name })} onPress={() => onDelete(file)}>
                {t('Delete')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
