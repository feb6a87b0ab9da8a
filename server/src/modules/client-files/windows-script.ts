import { derOf, type Ikev2Profile } from './ikev2-profile.ts';

/** What may stand between single quotes. Free text is excluded: PowerShell takes several characters for a quote. */
const PLAIN = /^[A-Za-z0-9.:_+/=-]+$/;

/**
 * A script that sets up the connection with what Windows 10 and 11 include (VpnClient module). Windows trusts an IKEv2
 * server only by the machine's root certificates, so the script asks for an administrator to add one; `-Remove` removes
 * it again.
 */
export function windowsScript(profile: Ikev2Profile): string {
  const values = {
    name: profile.plainName,
    server: profile.endpointHost,
    userName: profile.userName,
    password: profile.password,
    authority: derOf(profile.certificateAuthority),
  };
  const lines = Object.entries(values).map(([name, value]) => {
    if (!PLAIN.test(value)) throw new Error(`${name} cannot stand in a script`);
    return `$${name} = '${value}'`;
  });
  return `${[HEAD, ...lines, BODY].join('\n')}\n`.replaceAll('\n', '\r\n');
}

const HEAD = `# Raha: sets this VPN connection up on Windows 10 or 11. With -Remove: takes it away again.
param([switch]$Remove)
$ErrorActionPreference = 'Stop'`;

const BODY = `
function Invoke-Certutil([string[]]$Arguments) {
  # Windows asks for an administrator's consent here, and for nothing else.
  Start-Process -FilePath certutil.exe -Verb RunAs -Wait -WindowStyle Hidden -ArgumentList $Arguments
}

$certificate = New-Object Security.Cryptography.X509Certificates.X509Certificate2 -ArgumentList @(, [Convert]::FromBase64String($authority))
$trusted = "Cert:\\LocalMachine\\Root\\$($certificate.Thumbprint)"
if (Get-VpnConnection -Name $name -ErrorAction SilentlyContinue) {
  rasdial.exe $name /disconnect | Out-Null
  Remove-VpnConnection -Name $name -Force
}
if ($Remove) {
  if (Test-Path $trusted) { Invoke-Certutil '-delstore', 'Root', $certificate.Thumbprint }
  Write-Host "$name is removed."
  exit
}

if (-not (Test-Path $trusted)) {
  $file = Join-Path $env:TEMP "$name.cer"
  [IO.File]::WriteAllBytes($file, $certificate.RawData)
  Invoke-Certutil '-addstore', '-f', 'Root', ('"{0}"' -f $file)
  Remove-Item $file
  if (-not (Test-Path $trusted)) { throw 'The server certificate was not added: Windows would refuse the server.' }
}

$eap = New-EapConfiguration
Add-VpnConnection -Name $name -ServerAddress $server -TunnelType Ikev2 -AuthenticationMethod Eap -EapConfigXmlStream $eap.EapConfigXmlStream -EncryptionLevel Maximum -RememberCredential -Force
Set-VpnConnectionIPsecConfiguration -ConnectionName $name -AuthenticationTransformConstants GCMAES256 -CipherTransformConstants GCMAES256 -EncryptionMethod AES256 -IntegrityCheckMethod SHA384 -DHGroup ECP384 -PfsGroup ECP384 -Force
# Windows sends IPv6 through a tunnel only where it is told to.
foreach ($prefix in '::/1', '8000::/1') { Add-VpnConnectionRoute -ConnectionName $name -DestinationPrefix $prefix }

# The user name and password are stored where Windows keeps those of connections (RasSetCredentials).
$source = @'
using System;
using System.Runtime.InteropServices;
public static class RahaCredentials {
  [StructLayout(LayoutKind.Sequential, CharSet = CharSet.Unicode)]
  struct Credentials {
    public int Size;
    public int Mask;
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 257)] public string UserName;
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 257)] public string Password;
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 16)] public string Domain;
  }
  [DllImport("rasapi32.dll", CharSet = CharSet.Unicode, EntryPoint = "RasSetCredentialsW")]
  static extern int RasSetCredentials(string phonebook, string entry, ref Credentials credentials, bool clear);
  public static int Store(string entry, string userName, string password) {
    var credentials = new Credentials { Mask = 7, UserName = userName, Password = password, Domain = "" };
    credentials.Size = Marshal.SizeOf(credentials);
    return RasSetCredentials(null, entry, ref credentials, false);
  }
}
'@
Add-Type -TypeDefinition $source
if ([RahaCredentials]::Store($name, $userName, $password) -ne 0) {
  Write-Host "Windows will ask at the first connection. User name: $userName  Password: $password"
}
Write-Host "$name is ready: switch it on in Settings, Network and internet, VPN."`;
