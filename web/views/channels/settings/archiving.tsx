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
import { SettingsEnd } from '../../settings/rows/settings-group.tsx'

/**
 * Archives a channel after a confirmation, or restores an archived channel. Both actions share one button, which keeps
 * the focus.
 */
export function Archiving({ channel: { stream_id, name, is_archived: isArchived } }: { channel: Channel }): ReactNode {
  const [isAsking, ask] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (archives: boolean): Promise<unknown> =>
      archives
        ? call('DELETE /streams/{stream_id}', { stream_id })
        : call('PATCH /streams/{stream_id}', { stream_id, is_archived: false }),
    onSuccess(_, archives) {
      ask(false)
      showToast(archives ? t('#{name} archived', { name }) : t('#{name} is no longer archived', { name }))
    },
  })

  function press() {
    reset()
    if (isArchived) mutate(false)
    else ask(true)
  }

  return (
    <SettingsEnd
      title={isArchived ? t('Unarchive channel') : t('Archive channel')}
      about={
        isArchived
          ? t('Its subscribers see it in their sidebars again, and can post.')
          : t('For channels you no longer need. Messages are kept.')
      }
    >
      <Button isPending={isPending && isArchived} onPress={press}>
        {isArchived ? t('Unarchive {name}', { name }) : t('Archive {name}…', { name })}
      </Button>
      {isArchived && error !== null && (
        <ErrorNotice title={t('Couldn’t unarchive the channel')} error={toAppError(error)} />
      )}
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
            <Button kind="danger" isPending={isPending} onPress={() => mutate(true)}>
              {t('Archive channel')}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </SettingsEnd>
  )
}
