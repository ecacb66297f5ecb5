/** The error of nodemailer for an email that was not sent. */
export type RelayError = Error & { responseCode?: number; response?: string; command?: string; code?: string }

/** Returns advice for the administrator of the server about an email that the relay did not accept. */
export function smtpAdvice({ code, command, message, responseCode = 0 }: RelayError): string {
  if (/certificate/i.test(message))
    return 'The certificate of the relay is not trusted. Use the host name of the certificate in SMTP_URL, or append ?tls.rejectUnauthorized=false to accept any certificate.'
  if (code === 'EAUTH' || command?.startsWith('AUTH'))
    return 'The relay refuses the user name or the password. Check both in SMTP_URL, and write characters such as @ and : in them as %40 and %3A.'
  if (code === 'EDNS')
    return 'The host name of the relay was not found. Check the host in SMTP_URL, and the name servers of this machine.'
  if (code === 'ETLS' && command === 'STARTTLS')
    return 'The relay does not offer an encrypted connection, so nothing was sent. Use smtps:// with port 465, or another relay. If the network to the relay is trusted, append ?requireTLS=false to SMTP_URL.'
  if (code === 'ETLS' || /wrong version number/i.test(message))
    return 'The encrypted connection failed. Use smtps:// with port 465, and smtp:// with port 587 or 25.'
  if (command === 'MAIL FROM' && responseCode > 0)
    return 'The relay refuses the sender. Set MAIL_FROM to an address for which it sends email, or add user:password@ to SMTP_URL.'
  if (command === 'RCPT TO' && responseCode > 0)
    return responseCode < 500
      ? 'The relay does not accept email to this address at the moment. Try again in a few minutes.'
      : 'The relay refuses the recipient. Check the address. If it is correct, the relay may require user:password@ in SMTP_URL.'
  if (command === 'DATA' && responseCode > 0)
    return 'The relay refuses the email itself. Its reply says why. Often the domain of MAIL_FROM is not allowed to send (SPF, DKIM).'
  if (responseCode > 0) return 'The relay refuses this server. Its reply says why; ask the administrator of the relay.'
  if (code === 'ETIMEDOUT')
    return 'The relay did not respond in time. Check the host and port in SMTP_URL, and whether a firewall blocks the connection; many networks block port 25.'
  return 'The connection failed. Check the host and port in SMTP_URL, and that the relay is running.'
}
