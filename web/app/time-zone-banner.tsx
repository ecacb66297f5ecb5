import { useMutation } from '@tanstack/react-query'
import Globe from 'lucide-react/icons/globe'
import type { ReactNode } from 'react'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './banners.module.css'

const nameOf = (zone: string) => zone.replaceAll('_', ' ')

/** Offers to set the time zone of the user's profile to the computer's time zone. */
export function TimeZoneBanner(props: { zone: string; here: string; onClose: () => void }): ReactNode {
  const { zone, here, onClose } = props
  const { mutate, isPending } = useMutation({
    mutationFn: (timezone: string) => call('PATCH /settings', { timezone }),
    onSuccess: (_, timezone) => {
      if (timezone === here) showToast(t('Time zone saved'), { undo: () => mutate(zone) })
    },
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <section className={`${css.connectionBanner} ${css.timeZoneBanner}`} aria-label={t('Time zone')}>
      <Globe className="icon" aria-hidden="true" />
      <span>
        {t('Your profile says {zone}, but this computer’s time zone is {here}.', {
          zone: nameOf(zone),
          here: nameOf(here),
        })}
      </span>
      <Button isPending={isPending} onPress={() => mutate(here)}>
        {t('Update time zone')}
      </Button>
      <Button kind="quiet" onPress={onClose}>
        {t('Not now')}
      </Button>
    </section>
  )
}
