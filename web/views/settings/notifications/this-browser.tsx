import { useMutation, useQuery } from '@tanstack/react-query'
import Bell from 'lucide-react/icons/bell'
import type { ReactNode } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { requestNotificationAccess, useNotificationAccess } from '../../../store/browser/notification-access.ts'
import { canPush, pushState, subscribeToPush, unsubscribeFromPush } from '../../../store/browser/push.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { type AppError, ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'

/** Whether this browser lets notices be shown, and what to do where it does not. */
export function ThisBrowser(): ReactNode {
  const permission = useNotificationAccess()
  const { mutate, isPending } = useMutation({ mutationFn: requestNotificationAccess })
  return (
    <section className="card settings-card" aria-labelledby="this-browser">
      <h2 id="this-browser">{t('In this browser')}</h2>
      <p role="status">{WORDS[permission]}</p>
      {permission === 'unasked' && (
        <div>
          <Button
            kind="primary"
            icon={<Bell className="icon" aria-hidden="true" />}
            isPending={isPending}
            onPress={() => mutate()}
          >
            {t('Allow notices')}
          </Button>
        </div>
      )}
      {permission === 'granted' && (canPush() ? <WhileClosed /> : <p className="soft">{NO_PUSH}</p>)}
    </section>
  )
}

/** Whether this browser tells of messages while no page is open. */
function WhileClosed(): ReactNode {
  const { user_id } = useOrganization()
  const { data } = useQuery(pushState)
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? subscribeToPush(user_id) : unsubscribeFromPush()),
  })
  return (
    <>
      <CheckboxField
        isSelected={isPending ? variables : (data?.isOn ?? false)}
        isDisabled={isPending || data === undefined}
        onChange={(isOn) => mutate(isOn)}
      >
        {t('Show them while Parley is closed, too')}
      </CheckboxField>
      {error !== null && <ErrorNotice title={t('That was not changed')} trouble={toPushTrouble(error)} />}
    </>
  )
}

/** What browsers themselves say helps nobody. */
const toPushTrouble = (error: Error): AppError =>
  error instanceof DOMException ? { ...toAppError(error), message: NO_SERVICE } : toAppError(error)

const NO_SERVICE = t(
  'The browser could not sign up with the service that wakes it. It may have no connection, or be set not to use it.',
)

const NO_PUSH = t(
  'While Parley is closed this browser cannot tell you of anything. On an iPhone or iPad it can once you have put Parley on the home screen, and open it from there.',
)

const WORDS = {
  granted: t('Notices may be shown on the screen while you look at something else.'),
  unasked: t('This browser shows no notices before you allow it.'),
  denied: t(
    'This browser was told not to show notices of this page. You can allow them where it shows the address of the page, or in its settings.',
  ),
  insecure: t('This browser shows no notices of this page: that takes an address that begins with https.'),
  none: t('This browser shows no notices of pages. Sounds and mail can still tell you.'),
} as const
