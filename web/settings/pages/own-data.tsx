import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import * as css from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { absoluteTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import { sizeText } from '../size-text.ts'

const KEY = ['own data']

/** Milliseconds between two looks at an archive that is being made. */
const POLL_INTERVAL = 3000

type Archive = NonNullable<AnswerOf<'GET /users/me/data_export'>['data_export']>

const refresh = () => void queryClient.invalidateQueries({ queryKey: KEY })

/** Requests an archive of the user's own data, and offers it until it expires. */
export function OwnData(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call('GET /users/me/data_export', {}, { signal }),
    staleTime: 0,
  })
  const archive = data?.data_export ?? null
  const isPending = archive?.pending === true
  useEffect(() => {
    if (!isPending) return
    const timer = setInterval(refresh, POLL_INTERVAL)
    return () => clearInterval(timer)
  }, [isPending])
  return (
    <SettingsGroup title={t('Your data')}>
      <div className={css.settingsEnd} data-setting="own-data">
        <p className="soft">
          {t(
            'An archive of your profile, settings, messages, direct messages that you received, files, reactions, drafts and logged-in browsers. You can request it once a day.',
          )}
        </p>
        {error !== null ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label={t('Loading your data')} lines={1} />
        ) : (
          <ArchiveState archive={archive} />
        )}
      </div>
    </SettingsGroup>
  )
}

function ArchiveState({ archive }: { archive: Archive | null }): ReactNode {
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('POST /users/me/data_export', {}),
    onSettled: refresh,
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  const deletion = useMutation({
    mutationFn: () => call('DELETE /users/me/data_export', {}),
    onSettled: refresh,
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  const isMaking = archive?.pending === true
  return (
    <>
      <p role="status">
        {isMaking && t('Your archive is being made. Notification Bot sends you a message when it is ready.')}
        {archive?.failed === true && t('The last archive could not be made. Request it again.')}
        {archive?.expires_at != null &&
          t('Your archive ({size}) is ready. It will be deleted on {time}.', {
            size: sizeText(archive.size ?? 0),
            time: absoluteTime(archive.expires_at),
          })}
      </p>
      <div className="row">
        {archive?.url == null ? (
          <Button isPending={isPending || isMaking} onPress={() => mutate()}>
            {t('Request your data')}
          </Button>
        ) : (
          <>
            {/* The page's address may differ from the address that the server knows. */}
            <a className="button" href={new URL(archive.url).pathname} download>
              {t('Download')}
            </a>
            <Button kind="quiet" isPending={deletion.isPending} onPress={() => deletion.mutate()}>
              {t('Delete archive')}
            </Button>
          </>
        )}
      </div>
    </>
  )
}
