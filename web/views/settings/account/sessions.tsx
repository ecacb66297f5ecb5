import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import type { AnswerOf } from '../../../api/types.ts'
import { toAppError } from '../../../store/app-error.ts'
import { queryClient } from '../../../store/query-client.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { Badge } from '../../../ui/text/badge.tsx'
import { Time } from '../../../ui/time/time.tsx'
import { SettingsGroup } from '../rows/settings-group.tsx'
import '../settings-table.css'

const KEY = ['sessions']

type Session = AnswerOf<'GET /users/me/sessions'>['sessions'][number]

/** The list of browsers that are logged in to the account, with buttons to log them out. */
export function Sessions(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call('GET /users/me/sessions', {}, { signal }),
    staleTime: 0,
  })
  return (
    <SettingsGroup title={t('Logged-in browsers')}>
      <div data-setting="sessions">
        {error !== null ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label={t('Loading sessions')} lines={2} />
        ) : (
          <SessionTable sessions={data.sessions} />
        )}
        <p className="soft small">{t('Programs with an API key are listed under API keys.')}</p>
      </div>
    </SettingsGroup>
  )
}

function SessionTable({ sessions }: { sessions: readonly Session[] }): ReactNode {
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('DELETE /users/me/sessions', {}),
    onSuccess: () => {
      refresh()
      showToast(t('Other browsers logged out'))
    },
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <>
      <table className="settings-table">
        <thead>
          <tr>
            <th scope="col">{t('Browser')}</th>
            <th scope="col">{t('Logged in')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {currentFirst(sessions).map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </tbody>
      </table>
      {sessions.length > 1 && (
        <p className="settings-table-end">
          <Button isPending={isPending} onPress={() => mutate()}>
            {t('Log out other browsers')}
          </Button>
        </p>
      )}
    </>
  )
}

const refresh = () => void queryClient.invalidateQueries({ queryKey: KEY })

const currentFirst = (sessions: readonly Session[]): Session[] =>
  sessions.toSorted((one, other) => Number(other.is_current) - Number(one.is_current))

function SessionRow({ session }: { session: Session }): ReactNode {
  const { id, opened_at, is_current } = session
  const browser = session.browser || t('Unknown browser')
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('DELETE /users/me/sessions/{session_id}', { session_id: id }),
    onSuccess: () => {
      refresh()
      showToast(t('{browser} logged out', { browser }))
    },
    onError: (error) => {
      // The browser may have been logged out elsewhere.
      refresh()
      showToast(toAppError(error).message, { kind: 'error' })
    },
  })
  return (
    <tr>
      <th scope="row">
        <span className="row">
          {browser}
          {is_current && <Badge kind="accent">{t('This browser')}</Badge>}
        </span>
      </th>
      <td className="soft">
        <Time at={opened_at} as="ago" />
      </td>
      <td className="settings-action">
        {!is_current && (
          <Button isPending={isPending} aria-label={t('Log out {browser}', { browser })} onPress={() => mutate()}>
            {t('Log out')}
          </Button>
        )}
      </td>
    </tr>
  )
}
