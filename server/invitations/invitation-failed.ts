import { refusal } from '#lib/errors/refusal.ts'

/** An address that was not invited, the reason, and whether it belongs to a deactivated account. */
export type SkippedAddress = [email: string, reason: string, isDeactivatedAccount: boolean]

type Failure = {
  reason: string
  errors?: readonly SkippedAddress[]
  /** True if the other addresses were invited nevertheless. */
  sent_invitations?: boolean
  daily_limit_reached?: boolean
  license_limit_reached?: boolean
}

/** Refuses a request because some or all of its addresses could not be invited. */
export const invitationFailed = refusal('INVITATION_FAILED', 400, '{reason}', {
  extras: (failure: Failure) => ({
    errors: failure.errors ?? [],
    sent_invitations: failure.sent_invitations ?? false,
    daily_limit_reached: failure.daily_limit_reached ?? false,
    license_limit_reached: failure.license_limit_reached ?? false,
  }),
})
