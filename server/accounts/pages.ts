import type { Page } from '#http/pages.ts'
import {
  emailUnsubscribePages,
  showEmailChange,
  showEmailUndo,
  submitEmailChange,
  submitEmailUndo,
} from './endpoints/email-pages.ts'
import { findAccountsPages } from './endpoints/find-accounts-pages.ts'
import { login, logout, showLogin } from './endpoints/login-pages.ts'
import {
  showForgottenPassword,
  showNewPassword,
  submitForgottenPassword,
  submitNewPassword,
} from './endpoints/password-reset-pages.ts'

// The pages of accounts: logging in, passwords and email addresses. They work without scripts.

/** The pages for logging in, passwords and email addresses. They are apart from the endpoints, which are loaded first. */
export const accountPages: readonly Page[] = [
  showLogin,
  login,
  logout,
  showForgottenPassword,
  submitForgottenPassword,
  showNewPassword,
  submitNewPassword,
  showEmailChange,
  submitEmailChange,
  showEmailUndo,
  submitEmailUndo,
  ...findAccountsPages,
  ...emailUnsubscribePages,
]
