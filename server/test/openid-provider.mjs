import { createServer } from 'node:http';
import Provider, { interactionPolicy } from 'oidc-provider';

/**
 * A real OpenID provider in its own process, for the tests of signing in with Google. The user who signs in is set over HTTP
 * (`POST /control` with a claims object, or `{"deny":true}`), because no real user fills in a form. With `"forged":true` among the
 * claims, the ID token carries a signature that its key did not make.
 */
const accounts = new Map();
let next = { sub: 'nobody' };

// Google understands prompt=select_account; so does this provider.
const policy = interactionPolicy.base();
policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'raha',
        client_secret: 'a secret of the tests, long enough',
        redirect_uris: JSON.parse(process.env.REDIRECT_URIS),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'hd'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['tests'] },
    interactions: { policy, url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...accounts.get(id), sub: id }) }),
  });
  provider.use(async (context, proceed) => {
    await proceed();
    const token = context.body?.id_token;
    if (!token || !next.forged) return;
    const [header, payload, signature] = token.split('.');
    context.body.id_token = `${header}.${payload}.${Buffer.from(signature, 'base64url').reverse().toString('base64url')}`;
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/control') return control(request, response);
    if (request.url?.startsWith('/interaction/')) return interact(provider, request, response);
    return handle(request, response);
  });
  process.stdout.write(`${issuer}\n`);
});

function control(request, response) {
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    next = JSON.parse(text);
    if (next.sub) accounts.set(next.sub, next);
    response.end('{}');
  });
}

async function interact(provider, request, response) {
  const details = await provider.interactionDetails(request, response);
  if (next.deny)
    return await provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'no' });
  if (details.prompt.name === 'login' || details.prompt.name === 'select_account') {
    return await provider.interactionFinished(
      request,
      response,
      { login: { accountId: next.sub }, select_account: {} },
      { mergeWithLastSubmission: false },
    );
  }
  const grant = new provider.Grant({ accountId: details.session.accountId, clientId: details.params.client_id });
  grant.addOIDCScope('openid email profile');
  const grantId = await grant.save();
  return await provider.interactionFinished(
    request,
    response,
    { consent: { grantId } },
    { mergeWithLastSubmission: true },
  );
}
