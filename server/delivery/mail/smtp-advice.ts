/** What nodemailer says of a mail that did not go out. */
export type RelayError = Error & { responseCode?: number; response?: string; command?: string; code?: string }

/** What whoever runs the server can do about a mail that the relay did not take. */
export function smtpAdvice({ code, command, message, responseCode = 0 }: RelayError): string {
  if (/certificate/i.test(message))
    return 'The certificate of the relay cannot be trusted: name the relay in SMTP_URL as its certificate does, or append ?tls.rejectUnauthorized=false to accept it as it is.'
  if (code === 'EAUTH' || command?.startsWith('AUTH'))
    return 'The relay refuses the user name or the password: check both in SMTP_URL, and write characters such as @ and : in them as %40 and %3A.'
  if (code === 'EDNS')
    return 'The name of the relay is not known: check the host in SMTP_URL, and the name servers of the machine.'
  if (code === 'ETLS' || /wrong version number/i.test(message))
    return 'The encrypted connection did not come about: smtps:// goes with port 465, and smtp:// with port 587 or 25.'
  if (command === 'MAIL FROM' && responseCode > 0)
    return 'The relay refuses the sender: set MAIL_FROM to an address for which it sends, or sign in by user:password@ in SMTP_URL.'
  if (command === 'RCPT TO' && responseCode > 0)
    return responseCode < 500
      ? 'The relay does not take mail to this address just now: try again in some minutes.'
      : 'The relay refuses the recipient: check the address; if it is right, the relay may want you to sign in by user:password@ in SMTP_URL.'
  if (command === 'DATA' && responseCode > 0)
    return 'The relay refuses the mail itself: its words say why; often the domain of MAIL_FROM is not allowed to send (SPF, DKIM).'
  if (responseCode > 0) return 'The relay refuses us: its words say why; ask whoever runs it.'
  if (code === 'ETIMEDOUT')
    return 'The relay did not answer in time: check host and port in SMTP_URL, and whether a firewall stands between; many networks block port 25.'
  return 'The connection could not be made, or broke: check host and port in SMTP_URL, and that the relay runs.'
}
