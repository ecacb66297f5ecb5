import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import type { Person } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { CheckboxField, TextField } from '../ui/field.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import { absoluteTime } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.ts'

type Counts = AnswerOf<'GET /users/{user_id}/erasure'>

/** Erases the data of a user after the owner has typed the name. It cannot be undone. */
export function EraseDialog({ person, onClose }: { person: Person; onClose: () => void }): ReactNode {
  const { user_id, full_name: name } = person
  const { data, error, refetch } = useQuery({
    queryKey: ['erasure', user_id],
    queryFn: ({ signal }) => call('GET /users/{user_id}/erasure', { user_id }, { signal }),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <Dialog title={t('Erase the data of {name}?', { name })} role="alertdialog" isOpen onClose={onClose}>
      {data === undefined || data.erasure !== null ? (
        <>
          <div className="dialog-body">
            {error !== null ? (
              <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
            ) : data === undefined ? (
              <Loading label={t('Counting messages and files')} lines={3} />
            ) : (
              <Progress erasure={data.erasure} />
            )}
          </div>
          <DialogActions>
            <Button onPress={onClose}>{t('Close')}</Button>
          </DialogActions>
        </>
      ) : (
        <ErasureForm person={person} counts={data} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Progress({ erasure }: { erasure: Counts['erasure'] }): ReactNode {
  if (erasure === null) return null
  return (
    <p role="status">
      {erasure.finished_at === null
        ? t('The data of this person is being erased since {time}.', { time: absoluteTime(erasure.started_at) })
        : t('The data of this person was erased on {time}.', { time: absoluteTime(erasure.finished_at) })}
    </p>
  )
}

function ErasureForm(props: { person: Person; counts: Counts; onClose: () => void }): ReactNode {
  const { person, counts, onClose } = props
  const { user_id, full_name: name } = person
  const [typed, setTyped] = useState('')
  const [inChannels, setInChannels] = useState(false)
  const [direct, setDirect] = useState(false)
  const [files, setFiles] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call('POST /users/{user_id}/erasure', {
        user_id,
        delete_channel_messages: inChannels,
        delete_direct_messages: direct,
        delete_files: files,
      }),
    onSuccess() {
      showToast(t('Erasure started. Notification Bot sends you a message when it is complete.'))
      onClose()
    },
  })
  return (
    <>
      <div className="dialog-body stack">
        {error !== null && <ErrorNotice title={t('Couldn’t erase the data')} error={toAppError(error)} />}
        <Notice kind="warn">{t('This can’t be undone, not even by the operator of the server.')}</Notice>
        <ul>
          <li>{t('The account is deactivated permanently and renamed to “Deleted user {user_id}”.', { user_id })}</li>
          <li>
            {t(
              'The address, password, profile, picture, status, settings, drafts, scheduled messages, keys and sessions are deleted. The address can be used again.',
            )}
          </li>
          <li>{t('Mentions of {name} in messages of others show the new name.', { name })}</li>
          {counts.bots > 0 && (
            <li>{t('{count, plural, one {# bot is} other {# bots are}} deactivated.', { count: counts.bots })}</li>
          )}
          <li>{t('Messages and files that you don’t choose here stay under the new name.')}</li>
        </ul>
        <CheckboxField isSelected={inChannels} onChange={setInChannels}>
          {t('Delete {count, plural, one {# channel message} other {# channel messages}}', {
            count: counts.channel_messages,
          })}
        </CheckboxField>
        <CheckboxField isSelected={direct} onChange={setDirect}>
          {t('Delete {count, plural, one {# direct message} other {# direct messages}} that they sent', {
            count: counts.direct_messages,
          })}
        </CheckboxField>
        <CheckboxField isSelected={files} onChange={setFiles}>
          {t('Delete {count, plural, one {# file} other {# files}}', { count: counts.files })}
        </CheckboxField>
        <TextField
          label={t('Type “{name}” to confirm', { name })}
          autoComplete="off"
          value={typed}
          onChange={setTyped}
        />
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button
          kind="danger"
          isDisabled={typed.trim() !== name && !isPending}
          isPending={isPending}
          onPress={() => mutate()}
        >
          {t('Erase data')}
        </Button>
      </DialogActions>
    </>
  )
}
