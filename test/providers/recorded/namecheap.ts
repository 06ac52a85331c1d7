import { CREDENTIAL } from '../doubles/namecheap.ts';
import type { RecordedCalls } from './recorded-calls.ts';

const { api_user, api_key } = CREDENTIAL;
const call = (command: string, more = '') =>
  `POST /xml.response?ApiUser=${api_user}&ApiKey=${api_key}&UserName=${api_user}&ClientIP=127.0.0.1&Command=namecheap.domains.${command}${more}`;
const answer = (status: string, errors: string, command: string, response: string) =>
  `<ApiResponse Status="${status}" xmlns="http://api.namecheap.com/xml.response">${errors}<Warnings /><RequestedCommand>${command.toLowerCase()}</RequestedCommand><CommandResponse Type="${command}">${response}</CommandResponse><Server>PHX01SBAPIEXT02</Server><GMTTimeDifference>--4:00</GMTTimeDifference><ExecutionTime>0.246</ExecutionTime></ApiResponse>`;
const host = (name: string, type: string, address: string) =>
  `<host HostId="746360" Name="${name}" Type="${type}" Address="${address}" MXPref="10" TTL="3600" AssociatedAppTitle="" FriendlyName="" IsActive="true" IsDDNSEnabled="false" />`;

export const recorded: RecordedCalls = {
  zone: 'unittest2.dev',
  headers: () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
  calls: [
    {
      call: call('getInfo', '&DomainName=unittest2.dev'),
      status: 200,
      answer: answer(
        'OK',
        '<Errors />',
        'namecheap.domains.getInfo',
        '<DomainGetInfoResult Status="Ok" ID="589667" DomainName="unittest2.dev" OwnerName="someone" IsOwner="true" IsPremium="false"><DomainDetails><CreatedDate>05/20/2020</CreatedDate><ExpiredDate>05/20/2021</ExpiredDate><NumYears>0</NumYears></DomainDetails><LockDetails /><Whoisguard Enabled="True"><ID>481121</ID><ExpiredDate>05/20/2021</ExpiredDate><EmailDetails WhoisGuardEmail="a" ForwardedTo="a" LastAutoEmailChangeDate="05/20/2020" AutoEmailChangeFrequencyDays="3" /></Whoisguard><PremiumDnsSubscription><UseAutoRenew>false</UseAutoRenew><SubscriptionId>-1</SubscriptionId><CreatedDate>0001-01-01T00:00:00</CreatedDate><ExpirationDate>0001-01-01T00:00:00</ExpirationDate><IsActive>false</IsActive></PremiumDnsSubscription><DnsDetails ProviderType="FREE" IsUsingOurDNS="true" HostCount="31" EmailType="FWD" DynamicDNSStatus="false" IsFailover="false"><Nameserver>dns1.registrar-servers.com</Nameserver></DnsDetails></DomainGetInfoResult>',
      ),
    },
    {
      call: call('getInfo', '&DomainName=thisisadomainidonotown.com'),
      status: 200,
      answer: answer(
        'ERROR',
        '<Errors><Error Number="2030166">Domain is invalid</Error></Errors>',
        'namecheap.domains.getInfo',
        '',
      ),
    },
    {
      call: call('dns.setHosts'),
      body: 'SLD=unittest2&TLD=dev&HostId1=746360&Address1=127.0.0.1&MXPref1=10&TTL1=3600&AssociatedAppTitle1=&FriendlyName1=&IsActive1=true&IsDDNSEnabled1=false&HostName1=localhost&RecordType1=A&HostId2=746361&Address2=docs.example.com.&MXPref2=10&TTL2=3600&AssociatedAppTitle2=&FriendlyName2=&IsActive2=true&IsDDNSEnabled2=false&HostName2=docs&RecordType2=CNAME',
      status: 200,
      answer: answer(
        'OK',
        '<Errors />',
        'namecheap.domains.dns.setHosts',
        '<DomainDNSSetHostsResult Domain="unittest2.dev" IsSuccess="true"><Warnings /></DomainDNSSetHostsResult>',
      ),
    },
    {
      call: call('dns.getHosts', '&SLD=unittest2&TLD=dev'),
      status: 200,
      answer: answer(
        'OK',
        '<Errors />',
        'namecheap.domains.dns.getHosts',
        `<DomainDNSGetHostsResult Domain="unittest2.dev" EmailType="FWD" IsUsingOurDNS="true">${host('localhost', 'A', '127.0.0.1')}${host('docs', 'CNAME', 'docs.example.com.')}</DomainDNSGetHostsResult>`,
      ),
    },
  ],
};
