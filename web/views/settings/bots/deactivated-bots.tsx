import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { Person } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { refreshBots, useDeactivatedBots } from './own-bots.ts'

/** The list of the user's deactivated bots, with buttons to reactivate them. */
export function DeactivatedBots(): ReactNode {
  const bots = useDeactivatedBots()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ user_id }: Person) => call('POST /users/{user_id}/reactivate', { user_id }),
    onSuccess(_, { full_name }) {
      refreshBots()
      showToast(t('{name} reactivated', { name: full_name }))
    },
    onError: (error, { full_name }) =>
      showToast(t('Couldn’t reactivate {name}. {message}', { name: full_name, message: toAppError(error).message }), {
        kind: 'error',
      }),
  })
  if (bots.length === 0) return null
  return (
    <section className="stack" aria-labelledby="ended-bots">
      <h2 id="ended-bots">{t('Deactivated')}</h2>
      <ul className="card bot-list">
        {bots.map((bot) => (
          <li key={bot.user_id} className="bot-row">
            <Avatar id={bot.user_id} name={bot.full_name} url={bot.avatar_url} />
            <div className="bot-text">
              <b>{bot.full_name}</b>
              <span className="soft small">{bot.email}</span>
            </div>
            <Button
              aria-label={t('Reactivate {name}', { name: bot.full_name })}
              isPending={isPending && variables?.user_id === bot.user_id}
              onPress={() => mutate(bot)}
            >
              {t('Reactivate')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
