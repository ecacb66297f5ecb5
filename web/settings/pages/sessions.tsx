import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import { isPasswordRefusal, useCurrentPassword } from '../../forms/current-password.tsx'
import { SettingsGroup } from '../../forms/setting-row.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from '../settings-table.module.css'

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
  const others = useLogOut((params) => call('DELETE /users/me/sessions', params), {
    done: t('Other browsers logged out'),
    question: t('Log out other browsers?'),
  })
  return (
    <>
      <table className={css.settingsTable}>
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
        <p className={css.settingsTableEnd}>
          <Button isPending={others.isPending} onPress={others.logOut}>
            {t('Log out other browsers')}
          </Button>
        </p>
      )}
      {others.dialog}
    </>
  )
}

const refresh = () => void queryClient.invalidateQueries({ queryKey: KEY })

const currentFirst = (sessions: readonly Session[]): Session[] =>
  sessions.toSorted((one, other) => Number(other.is_current) - Number(one.is_current))

/**
 * Logs out browsers. Opens a dialog if the server asks for the current password. `texts` are the message after success
 * and the title of the dialog.
 */
function useLogOut(
  close: (params: { password?: string }) => Promise<unknown>,
  texts: { done: string; question: string },
): { logOut: () => void; isPending: boolean; dialog: ReactNode } {
  const [isAsking, ask] = useState(false)
  const currentPassword = useCurrentPassword()
  const { mutate, isPending } = useMutation({
    mutationFn: () => close(currentPassword.params),
    onSuccess: () => {
      ask(false)
      refresh()
      showToast(texts.done)
    },
    onError: (error) => {
      currentPassword.onError(error)
      if (isPasswordRefusal(error)) return ask(true)
      // The browser may have been logged out elsewhere.
      refresh()
      showToast(toAppError(error).message, { kind: 'error' })
    },
  })
  const dialog = isAsking && (
    <Dialog title={texts.question} isOpen onClose={() => ask(false)}>
      <DialogForm action={t('Log out')} isPending={isPending} onSubmit={mutate} onCancel={() => ask(false)}>
        {currentPassword.field}
      </DialogForm>
    </Dialog>
  )
  return { logOut: mutate, isPending, dialog }
}

function SessionRow({ session }: { session: Session }): ReactNode {
  const { id, opened_at, is_current } = session
  const browser = session.browser || t('Unknown browser')
  const { logOut, isPending, dialog } = useLogOut(
    (params) => call('DELETE /users/me/sessions/{session_id}', { session_id: id, ...params }),
    { done: t('{browser} logged out', { browser }), question: t('Log out {browser}?', { browser }) },
  )
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
      <td className={settingsCss.settingsAction}>
        {!is_current && (
          <Button isPending={isPending} aria-label={t('Log out {browser}', { browser })} onPress={logOut}>
            {t('Log out')}
          </Button>
        )}
        {dialog}
      </td>
    </tr>
  )
}
