import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { Channel } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog/dialog.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'

/** Archives a channel after a confirmation, or restores an archived one. */
export function Archiving({ channel }: { channel: Channel }): ReactNode {
  const { stream_id, name } = channel
  const [isAsking, ask] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /streams/{stream_id}', { stream_id }),
    onSuccess() {
      ask(false)
      showToast(t('#{name} archived', { name }))
    },
  })
  if (channel.is_archived) return <Unarchiving channel={channel} />
  return (
    <section className="card settings-card channel-end-act" aria-labelledby="archiving">
      <div>
        <h2 id="archiving">{t('Archive channel')}</h2>
        <p className="soft">{t('For channels you no longer need. Messages are kept.')}</p>
      </div>
      <Button onPress={() => ask(true)}>{t('Archive {name}…', { name })}</Button>
      {isAsking && (
        <Dialog title={t('Archive #{name}?', { name })} role="alertdialog" isOpen onClose={() => ask(false)}>
          <div className="dialog-body">
            {error !== null && <ErrorNotice title={t('Couldn’t archive the channel')} error={toAppError(error)} />}
            <p>
              {t(
                'No one can post in it, and it disappears from everyone’s sidebar. Its messages stay readable and searchable. New users aren’t added to it, and announcements are no longer posted there.',
              )}
            </p>
          </div>
          <DialogActions>
            <Button onPress={() => ask(false)}>{t('Cancel')}</Button>
            <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
              {t('Archive channel')}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </section>
  )
}

function Unarchiving({ channel: { stream_id, name } }: { channel: Channel }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('PATCH /streams/{stream_id}', { stream_id, is_archived: false }),
    onSuccess: () => showToast(t('#{name} is no longer archived', { name })),
  })
  return (
    <section className="card settings-card channel-end-act" aria-labelledby="archiving">
      <div>
        <h2 id="archiving">{t('Unarchive channel')}</h2>
        <p className="soft">{t('Its subscribers see it in their sidebars again, and can post.')}</p>
      </div>
      {error !== null && <ErrorNotice title={t('Couldn’t unarchive the channel')} error={toAppError(error)} />}
      <Button isPending={isPending} onPress={() => mutate()}>
        {t('Unarchive {name}', { name })}
      </Button>
    </section>
  )
}
